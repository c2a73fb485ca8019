// The page on which rules are written: the checker's diagnostics as one types, the board beside it, questions. Each time
// the script sends the text with the moves so far; the server keeps nothing of it.

import { Board } from "./board.js";
import { element, lines, post, sentence } from "./common.js";

const find = (id) => document.getElementById(id);
const area = find("rules");
const DELAY = 400;

/** The moves so far, as terms. */
let moves = [];
let shown = null;
let editor = null;
let thinks = false;
const computer = find("computer");
/** Of several answers under way only the last one counts. */
let turn = 0;

const rules = () => (editor ? editor.text() : area.value);
const tell = (text) => (find("message").textContent = sentence(text));

/** Sends requests of the protocol and returns their answers. */
const ask = async (...requests) => (await post("/write/ask", { requests: JSON.stringify(requests) })).answers;
const open = () => ({ ask: "open", rules: rules(), moves: moves.join(" ") });

function faults(checked) {
  const { faults, ok } = checked;
  const show = (fault) => {
    const place = fault.line && fault.file === "rules" ? `line ${fault.line}: ` : fault.line ? `${fault.file}:${fault.line}: ` : "";
    return element("p", {
      className: fault.severity,
      textContent: [`${place}${fault.message}`, ...fault.hints.map((hint) => `  ${hint}`)].join("\n"),
    });
  };
  const good = ok && faults.length === 0 ? [element("p", { className: "good", textContent: "No faults." })] : [];
  find("faults").replaceChildren(...faults.map(show), ...good);
  mark(faults);
}

const mark = (faults) => editor?.mark(faults.filter((fault) => fault.file === "rules" && fault.line));

/** Sends a request about the rules, and gives the answer or what is wrong to `show`, unless the text has changed meanwhile. */
async function study(request, wait, show) {
  const mine = turn;
  const place = find("study");
  lines(place, "p", [wait]);
  try {
    const [opened, answer] = await ask({ ask: "open", rules: rules() }, { at: 1, ...request });
    const wrong = [opened, answer].find((one) => one.answer === "error");
    if (mine === turn) lines(place, "p", wrong ? [sentence(wrong.message)] : show(answer));
  } catch (problem) {
    lines(place, "p", [sentence(problem.error)]);
  }
}

/** Marks the clauses that took no part in random games, and lists them. */
find("cover").onclick = () =>
  study({ ask: "cover", games: 100 }, "Random games are played…", ({ clauses, games, positions, complete, never, shadowed }) => {
    const unused = [
      ...never.map(({ line, head, off }) => ({ line, head, message: off ? "never holds: an option rules it out" : "never held" })),
      ...shadowed.map(({ line, head, by }) => ({ line, head, message: `an earlier clause${by ? ` (line ${by})` : ""} always had its answers` })),
    ].sort((a, b) => a.line - b.line);
    mark(unused.map(({ line, message }) => ({ line, file: "rules", severity: "warning", message, hints: [] })));
    const much = complete ? "" : ", as far as the time allowed";
    const held = `${clauses - never.length} of ${clauses} clauses held in ${positions} positions of ${games} random games${much}.`;
    return [held, ...unused.map(({ line, head, message }) => `line ${line}: ${head}: ${message}`)];
  });

find("sample").onclick = () =>
  study({ ask: "sample", games: 300 }, "Random games are played…", ({ games, unfinished, length, branching, wins, draws }) => {
    const share = (count) => `${((100 * count) / games).toFixed(0)} %`;
    const ends = wins.map(([player, won]) => `${player} ${share(won)}`);
    if (draws) ends.push(`no winner ${share(draws)}`);
    if (unfinished) ends.push(`no end within 1,000 moves ${share(unfinished)}`);
    return [
      `${games} random games: ${length[1].toFixed(1)} moves on average, ${length[0]} to ${length[2]}.`,
      `There are ${branching[0].toFixed(1)} legal moves on average, ${branching[1]} at the most.`,
      `Wins: ${ends.join(", ")}.`,
    ];
  });

/** Checks the text and shows the position that the moves lead to; moves that are no longer legal are forgotten. */
async function update() {
  const mine = ++turn;
  try {
    const [checked, opened, show, afresh] = await ask(
      { ask: "check", rules: rules() },
      open(),
      { ask: "show", at: 1 },
      { ask: "open", rules: rules() },
    );
    if (mine !== turn) return;
    if (checked.answer === "error") return tell(checked.message);
    faults(checked);
    if (opened.answer === "opened") {
      seat(opened.game.players);
      return display(show);
    }
    if (afresh.answer === "opened" && moves.length) {
      moves = [];
      const [, again] = await ask(open(), { ask: "show", at: 1 });
      return display(again);
    }
  } catch (problem) {
    tell(problem.error);
  }
}

function display(answer) {
  if (answer.answer === "error") return tell(answer.message);
  shown = answer;
  tell("");
  const { position, prompt, told } = shown;
  const lead = position.over ? `The game is over: ${position.over.text}` : `${position.turn} is to move`;
  const others = told.map(({ player, text }) => `${player}: ${text}`);
  lines(find("told"), "p", [prompt.length ? `${lead}: ${prompt.join("; ")}` : lead, ...others]);
  lines(find("beside"), "li", shown.beside);
  board.show(shown, mine());
  reply();
}

/** Whether the visitor is to move. */
const mine = () => !shown.position.over && shown.position.turn !== computer.value;

/** The players of the rules, for one of whom the computer may play. */
function seat(players) {
  const names = ["", ...players];
  if (names.join("\n") === [...computer.options].map((option) => option.value).join("\n")) return;
  const chosen = names.includes(computer.value) ? computer.value : "";
  computer.replaceChildren(...names.map((name) => element("option", { value: name, textContent: name || "nobody" })));
  computer.value = chosen;
}

/** The computer moves for the side that it has been given. */
async function reply() {
  const { position } = shown;
  if (thinks || position.over || position.turn !== computer.value) return;
  thinks = true;
  await best().finally(() => (thinks = false));
  if (shown.position.turn === computer.value && shown.position !== position) reply();
}

/** Plays a move, or tells why it is not legal. */
async function play(text) {
  tell("");
  try {
    const [opened, played, , now, show] = await ask(
      open(),
      { ask: "play", at: 1, move: text },
      { ask: "chance", at: 1, seed: Math.floor(Math.random() * 1e9) },
      { ask: "position", at: 1 },
      { ask: "show", at: 1 },
    );
    if (opened.answer === "error") return tell(opened.message);
    if (played.answer === "error") {
      board.show(shown, mine());
      if (played.candidates) board.list(played.candidates);
      return tell(played.message);
    }
    // a line of moves is separated by blanks
    moves = now.history.map(({ move }) => move.replace(/, /g, ","));
    display(show);
  } catch (problem) {
    tell(problem.error);
  }
}

const board = new Board(find("board"), find("choice"), { play, refused: play });

find("type").addEventListener("submit", (event) => {
  event.preventDefault();
  const field = event.target.elements.move;
  play(field.value);
  field.value = "";
});
find("undo").onclick = () => {
  moves.pop();
  update();
};
find("restart").onclick = () => {
  moves = [];
  update();
};
async function best() {
  try {
    const [opened, best] = await ask(open(), { ask: "best", at: 1, playouts: 500, seconds: 2 });
    const wrong = [opened, best].find((answer) => answer.answer === "error");
    if (wrong) return tell(wrong.message);
    if (!best.best) return tell(best.reason);
    find("answer").textContent = `${best.best.notation}: ${best.reason}`;
    await play(best.best.move);
  } catch (problem) {
    tell(problem.error);
  }
}
find("best").onclick = best;
computer.addEventListener("change", () => shown && display(shown));
find("ask").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = event.target.elements.what.value.trim().replace(/\.$/, "");
  const query = text.match(/^\?-\s*(.*)$/s);
  const request = query ? { ask: "query", at: 1, goal: query[1], most: 200 } : { ask: "why", at: 1, what: text.replace(/^why( not)?\s+/, "") };
  try {
    const [opened, answer] = await ask(open(), request);
    const wrong = [opened, answer].find((one) => one.answer === "error");
    find("answer").textContent = wrong ? wrong.message : query ? told(answer) : answer.text;
  } catch (problem) {
    tell(problem.error);
  }
});

/** The answers to a query, a line each. */
function told({ answers, whole }) {
  if (answers.length === 0) return "no";
  const write = (value) =>
    Array.isArray(value)
      ? `[${value.map(write).join(", ")}]`
      : value && typeof value === "object"
        ? `${value.functor}(${value.args.map(write).join(", ")})`
        : value === null
          ? "_"
          : String(value);
  const line = (answer) => Object.entries(answer).map(([name, value]) => `${name} = ${write(value)}`).join(", ") || "yes";
  return answers.map(line).join("\n") + (whole ? "" : "\n…");
}

find("start").addEventListener("change", (event) => {
  if (event.target.value) location.assign(`/write?game=${event.target.value}`);
});
find("share").addEventListener("submit", (event) => {
  event.target.elements.rules.value = rules();
});

let waiting = 0;
const changed = () => {
  lines(find("study"), "p", []);
  clearTimeout(waiting);
  waiting = setTimeout(update, DELAY);
};
area.addEventListener("input", changed);
try {
  const { edit } = await import("./editor.js");
  editor = edit(find("editor"), area.value, changed);
  area.hidden = true;
  find("editor").className = "on";
} catch {
  // without the editor the plain field does
}
update();
