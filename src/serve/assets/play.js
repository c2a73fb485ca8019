// The page of a game: shows each state that the server sends, and sends what the visitor does.

import { Board } from "./board.js";
import { element, lines, post, sentence } from "./common.js";

const page = document.getElementById("play");
const find = (id) => document.getElementById(id);
const game = `/game/${page.dataset.game}`;
let state = JSON.parse(find("state").textContent);
/** The number of moves before the position that is looked back at; null for the last one. */
let back = null;
/** The number of moves before the one that is on its way to the server; null if there is none. */
let sent = null;
/** What the board shows, as text: a board that is drawn again forgets a move of which half has been clicked. */
let drawn = "";

const tell = (text) => (find("message").textContent = sentence(text));
const reason = (text) => (find("reason").textContent = text);

/** Does something and tells what was wrong with it. */
async function attempt(work) {
  tell("");
  try {
    await work();
  } catch (problem) {
    tell(problem.error || String(problem));
    if (problem.candidates) board.list(problem.candidates);
  }
}

const play = (move) =>
  attempt(async () => {
    sent = state.ply;
    try {
      await post(`${game}/move`, { move, ply: state.ply });
    } catch (problem) {
      sent = null;
      drawn = "";
      if (back === null) draw(state.ply, state.shown, state.mine);
      throw problem;
    }
  });

/** Draws the position after `ply` moves, unless the board shows it already. */
function draw(ply, shown, mine) {
  const text = JSON.stringify([ply, shown, mine]);
  if (text === drawn) return;
  drawn = text;
  board.show(shown, mine);
}

/** A click that is no move is sent all the same: the server says why not. */
function refused(text) {
  if (back !== null) return tell("this position is past: go to the last one to move");
  if (sent === state.ply) return;
  if (state.result) return tell(`the game is over: ${state.result}`);
  if (page.dataset.plays !== "true") return tell("you look on");
  play(text);
}

const board = new Board(find("board"), find("choice"), { play, refused });

/** Milliseconds as a clock shows them: tenths of seconds when few are left. */
function time(left) {
  if (left < 10_000) return `0:0${(left / 1000).toFixed(1)}`;
  const all = Math.ceil(left / 1000);
  const [hours, minutes, seconds] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60].map(String);
  return (hours === "0" ? [minutes] : [hours, minutes.padStart(2, "0")]).concat(seconds.padStart(2, "0")).join(":");
}

/** The server keeps the time; the page counts on from what it was told. */
let heard = performance.now();
setInterval(() => {
  const number = state.seats.findIndex((seat) => seat.runs);
  const clock = find("seats").children[number]?.querySelector(".clock");
  if (!clock) return;
  const left = Math.max(0, state.seats[number].left - (performance.now() - heard));
  clock.textContent = time(left);
  clock.classList.toggle("late", left < 10_000);
}, 100);

function show() {
  const { seats, told, history, chat, offer, result, next, onlookers } = state;
  find("seats").replaceChildren(
    ...seats.map((seat) => {
      const item = element("li", { className: seat.to_move ? "to-move" : "" });
      item.append(element("strong", { textContent: seat.player }), ` ${seat.who}${seat.you ? " (you)" : ""}`);
      if (!seat.here) item.append(" ", element("span", { className: "note", textContent: "away" }));
      if (seat.to_move) item.append(" ", element("span", { className: "note", textContent: seat.computer ? "thinks" : "to move" }));
      if (seat.left !== null) item.append(" ", element("span", { className: "clock", textContent: time(seat.left) }));
      return item;
    }),
  );
  find("onlookers").hidden = onlookers === 0;
  find("onlookers").textContent = onlookers === 1 ? "One looks on." : `${onlookers} look on.`;
  lines(find("told"), "p", told);
  if (back === null) {
    // a state from before the move that is on its way leaves the board as it is
    if (sent !== state.ply) draw(state.ply, state.shown, state.mine);
    lines(find("beside"), "li", state.shown.beside);
    if (state.reason && page.dataset.alone === "true" && state.mine) reason(`The computer's move: ${sentence(state.reason)}`);
  }
  const moves = find("history");
  while (moves.children.length > history.length) moves.lastChild.remove();
  history.forEach(({ notation, seat }, number) => {
    const who = seat === null ? "" : seats[seat].player;
    const known = moves.children[number];
    if (known?.firstChild.textContent === notation && known.lastChild.textContent === who) return;
    const link = element("a", { href: `${game}?ply=${number + 1}`, textContent: notation });
    const item = element("li", { value: number + 1 }, link, " ", element("span", { className: "note", textContent: who }));
    known ? known.replaceWith(item) : moves.append(item);
  });
  current();
  const said = find("chat");
  if (said && said.children.length !== chat.length) {
    said.replaceChildren(...chat.map(([who, text]) => element("li", {}, element("strong", { textContent: who }), ` ${text}`)));
    said.scrollTop = said.scrollHeight;
  }
  answers(offer);
  if (result)
    for (const form of document.querySelectorAll("#commands > form:not(#hint), #type")) form.hidden = form.id !== "rematch" || next !== null;
  if (next !== null && find("next-game")) {
    find("next-game").hidden = false;
    find("next-game").replaceChildren(element("a", { className: "button", href: `/game/${next}`, textContent: "The next game" }));
  }
}

/** What is offered, and the buttons to answer it. */
function answers(offer) {
  const place = find("offer");
  if (!place) return;
  const key = JSON.stringify(offer);
  if (place.dataset.key === key) return;
  place.dataset.key = key;
  place.hidden = !offer;
  if (!offer) return place.replaceChildren();
  const [what, who, role] = offer;
  const words = { draw: "a draw", undo: "to take the last move back", rematch: "for another game" }[what];
  const verb = what === "draw" ? "offer" : "ask";
  const text = role === "own" ? `You ${verb} ${words}.` : `${who} ${verb}s ${words}.`;
  const button = (answer, label) =>
    element("button", { type: "button", textContent: label, onclick: () => attempt(() => post(`${game}/answer`, { answer })) });
  const buttons = { own: [button("no", "Withdraw")], answer: [button("yes", "Agree"), button("no", "Decline")] }[role] || [];
  place.replaceChildren(element("p", { textContent: text }), ...buttons);
}

/** Marks the move behind which the position shown stands. */
function current() {
  const moves = find("history");
  const ply = back ?? state.ply;
  moves.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const link = ply > 0 && moves.children[ply - 1]?.querySelector("a");
  if (link) {
    link.setAttribute("aria-current", "true");
    moves.scrollTop = link.offsetTop - moves.clientHeight / 2;
  }
}

/** Shows the position after some of the moves. */
async function look(ply) {
  ply = Math.max(0, Math.min(ply, state.ply));
  if (ply === state.ply) {
    back = null;
    return show();
  }
  back = ply;
  const response = await fetch(`${game}/at/${ply}`);
  if (!response.ok || back !== ply) return;
  const shown = await response.json();
  draw(ply, shown, false);
  lines(find("beside"), "li", shown.beside);
  current();
}

const here = () => back ?? state.ply;
find("first").onclick = () => look(0);
find("back").onclick = () => look(here() - 1);
find("forward").onclick = () => look(here() + 1);
find("last").onclick = () => look(state.ply);
find("history").addEventListener("click", (event) => {
  const item = event.target.closest("a") && event.target.closest("li");
  if (!item) return;
  event.preventDefault();
  look(item.value);
});

/** A form whose fields are posted without leaving the page. */
function send(form, url) {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const { confirm: question } = event.submitter?.dataset || {};
    if (question && !window.confirm(question)) return;
    const fields = Object.fromEntries(new FormData(form));
    if (form.id === "type") fields.ply = state.ply;
    attempt(async () => {
      await post(url, fields);
      if (form.id) form.reset();
    });
  });
}
for (const form of document.querySelectorAll("#commands form:not(#hint), #type, #say")) send(form, form.getAttribute("action"));

find("why").addEventListener("submit", (event) => {
  event.preventDefault();
  const what = event.target.elements.what.value;
  attempt(async () => reason((await post(`${game}/why`, { what, ply: here() })).text));
});
find("hint")?.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(async () => {
    reason("The computer thinks…");
    const best = await post(`${game}/hint`, { ply: here() }).finally(() => reason(""));
    reason([`Hint: ${best.notation}.`, sentence(best.reason), sentence(best.exact)].join(" ").trim());
  });
});

if (page.dataset.back === "") {
  // the picture stands in the page
  state.shown.svg = find("board").querySelector("svg")?.outerHTML ?? null;
  show();
} else {
  back = Number(page.dataset.back);
  show();
  look(back);
}

/** Whether two states show the same position. The page has written its picture in other words than the server. */
function same(a, b) {
  const text = ({ history, shown }) => JSON.stringify([history, { ...shown, svg: null }]);
  return text(a) === text(b);
}

const events = new EventSource(`${game}/events`);
events.addEventListener("state", (event) => {
  const [moved, followed] = [state.ply, state.next];
  const news = JSON.parse(event.data);
  // of the moves, the messages and the position only what is new is told
  news.history = state.history.slice(0, news.from).concat(news.history);
  news.chat = state.chat.slice(0, news.said).concat(news.chat);
  news.shown ??= state.shown;
  // a board that stays as it is keeps the half of a move that has been clicked
  if (same(news, state)) news.shown = state.shown;
  state = news;
  heard = performance.now();
  if (state.next !== null && followed === null && page.dataset.plays === "true") return location.assign(`/game/${state.next}`);
  if (moved !== state.ply) {
    back = null;
    sent = null;
    tell("");
    reason("");
  }
  show();
});
events.addEventListener("error", () =>
  tell(events.readyState === EventSource.CLOSED ? "the connection is lost: load the page again" : "the connection is lost: trying again"),
);
events.addEventListener("open", () => {
  if (find("message").textContent.startsWith("The connection")) tell("");
});
