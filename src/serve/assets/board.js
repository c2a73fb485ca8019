// A board that is played by clicking its sites, by dragging what stands there, or by keyboard: source, target, and a choice
// where several moves agree.
// It knows no rules: the server sends the legal moves with their sites, and says why another one is not legal.

import { element } from "./common.js";

const SVG = "http://www.w3.org/2000/svg";
/** How far a pointer goes before it drags, in pixels. */
const NEAR = 6;

export class Board {
  /** `play` is called with the text of a move; `refused` with the text of one that is not legal. */
  constructor(root, choice, { play, refused }) {
    Object.assign(this, { root, choice, play, refused });
    this.touched = [];
    this.at = 0;
  }

  /** Draws what the server shows; `mine` says whether the visitor may move. */
  show(shown, mine) {
    const focused = this.root.contains(document.activeElement);
    // a piece that goes on from where it has arrived is not touched twice
    const moves = shown.moves.map((move) => (move.any ? move : { ...move, sites: move.sites.filter((site, i) => site !== move.sites[i - 1]) }));
    this.shown = { ...shown, moves };
    this.mine = mine;
    this.touched = [];
    if (shown.svg) {
      this.root.innerHTML = shown.svg;
      const svg = this.root.querySelector("svg");
      svg.removeAttribute("width");
      svg.removeAttribute("height");
      svg.setAttribute("role", "group");
      svg.setAttribute("aria-label", "The board");
      this.overlay(svg);
    } else {
      this.root.replaceChildren(element("pre", { textContent: shown.text || "" }));
      this.cells = [];
    }
    if (focused) this.focus(this.at);
    this.mark();
  }

  overlay(svg) {
    const sites = this.shown.sites;
    const radius = reach(sites);
    this.cells = sites.map((site, number) => {
      const cell = document.createElementNS(SVG, "g");
      cell.setAttribute("class", "site");
      cell.setAttribute("role", "button");
      cell.setAttribute("data-site", site.name);
      cell.setAttribute("tabindex", number === this.at ? "0" : "-1");
      const circle = document.createElementNS(SVG, "circle");
      circle.setAttribute("cx", site.x);
      circle.setAttribute("cy", site.y);
      circle.setAttribute("r", radius);
      circle.setAttribute("class", "hit");
      const dot = circle.cloneNode();
      // what stands on a site can be read through a ring
      dot.setAttribute("r", radius * (site.holds ? 0.92 : 0.3));
      dot.setAttribute("class", site.holds ? "dot ring" : "dot");
      cell.append(circle, dot);
      cell.addEventListener("click", () => this.touch(number));
      cell.addEventListener("keydown", (event) => this.key(event, number));
      cell.addEventListener("focus", () => this.visit(number));
      svg.append(cell);
      return cell;
    });
    this.drags(svg);
    if (this.at >= sites.length) this.at = 0;
  }

  /** Lets the visitor drag what stands on a site to another one, with mouse, pen or finger: that touches both. */
  drags(svg) {
    let drag = null;
    const at = (event) => {
      const cell = document.elementFromPoint(event.clientX, event.clientY)?.closest(".site");
      return cell ? this.cells.indexOf(cell) : -1;
    };
    const end = () => {
      drag?.ghost?.remove();
      drag = null;
    };
    svg.addEventListener("pointerdown", (event) => {
      const from = at(event);
      if (!this.mine || event.button !== 0 || from < 0 || !this.movable(from)) return;
      drag = { from, x: event.clientX, y: event.clientY, pointer: event.pointerId };
    });
    svg.addEventListener("pointermove", (event) => {
      if (!drag || event.pointerId !== drag.pointer) return;
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!drag.ghost) {
        if (Math.hypot(dx, dy) < NEAR) return;
        if (this.touched.length !== 1 || this.touched[0] !== drag.from) {
          this.touched = [];
          this.touch(drag.from);
        }
        drag.ghost = svg.appendChild(this.copied(svg, drag.from));
        drag.scale = svg.viewBox.baseVal.width / svg.getBoundingClientRect().width;
        svg.setPointerCapture(drag.pointer);
      }
      drag.ghost.setAttribute("transform", `translate(${dx * drag.scale} ${dy * drag.scale})`);
    });
    svg.addEventListener("pointerup", (event) => {
      if (!drag?.ghost) return end();
      const { from } = drag;
      end();
      const to = at(event);
      // the click that follows a drag belongs to it
      const swallow = (click) => click.stopPropagation();
      svg.addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => svg.removeEventListener("click", swallow, { capture: true }));
      if (to >= 0 && to !== from) this.touch(to);
    });
    svg.addEventListener("pointercancel", end);
    for (const [number, cell] of this.cells.entries()) cell.classList.toggle("movable", this.mine && this.movable(number));
  }

  /** Whether a move leads from a site to another one. */
  movable(number) {
    return this.shown.moves.some((move) => !move.any && move.sites.length > 1 && move.sites[0] === number);
  }

  /** A copy of what the picture shows on a site. */
  copied(svg, number) {
    const ghost = document.createElementNS(SVG, "g");
    ghost.setAttribute("class", "ghost");
    const { name } = this.shown.sites[number];
    const groups = [...svg.querySelectorAll("g > title")].filter((title) => title.textContent === name);
    const pieces = groups.at(-1)?.parentNode.querySelectorAll(":scope > g") || [];
    ghost.append(...[...pieces].map((piece) => piece.cloneNode(true)));
    return ghost;
  }

  /** The moves that the touched sites may still become. */
  candidates() {
    return this.shown.moves.filter((move) => begins(move, this.touched));
  }

  /** Marks what is touched and what may be touched next. */
  mark() {
    const next = new Set();
    const legal = this.mine ? this.candidates() : [];
    const depth = this.touched.length;
    this.root.dataset.touched = depth;
    for (const move of legal) {
      if (move.any) move.sites.filter((site) => !this.touched.includes(site)).forEach((site) => next.add(site));
      else if (move.sites.length > depth) {
        next.add(move.sites[depth]);
        if (depth === 1 && move.sites.at(-1) !== this.touched[0]) next.add(move.sites.at(-1));
      }
    }
    this.cells.forEach((cell, number) => {
      const touched = this.touched.includes(number);
      cell.classList.toggle("touched", touched);
      cell.classList.toggle("next", next.has(number));
      const { name, holds } = this.shown.sites[number];
      const state = (touched ? ", chosen" : "") + (next.has(number) ? ", can be chosen" : "");
      cell.setAttribute("aria-label", `${name}, ${holds || "empty"}${state}`);
      cell.setAttribute("aria-pressed", String(touched));
    });
    this.offer(legal);
  }

  /** Buttons for moves that no site tells apart. */
  offer(legal) {
    const depth = this.touched.length;
    const exact = depth ? legal.filter((move) => whole(move, this.touched)) : [];
    const silent = depth ? [] : legal.filter((move) => move.sites.length === 0);
    const list = depth ? exact : silent;
    const few = depth ? list.length > 0 : list.length > 0 && list.length <= 60;
    this.choice.hidden = !few;
    if (!few) return this.choice.replaceChildren();
    this.list(list, depth ? "Which move?" : "Other moves:");
    if (depth && this.cells.some((cell) => cell === document.activeElement)) this.choice.querySelector("button").focus();
  }

  /** Numbered buttons for moves. */
  list(moves, title = "Which move?") {
    const button = (move, number) =>
      element("button", {
        type: "button",
        className: "quiet",
        textContent: `${number + 1}. ${move.notation}`,
        onclick: () => this.make(move),
      });
    this.choice.hidden = false;
    this.choice.replaceChildren(element("p", { textContent: title }), ...moves.map(button));
  }

  /** Sends a move; until the next position is shown, or this one again, there is none to choose. */
  make(move) {
    this.mine = false;
    this.clear();
    this.play(move.move);
  }

  clear() {
    this.touched = [];
    this.mark();
  }

  touch(number) {
    this.visit(number);
    if (!this.mine) return this.refused(this.shown.sites[number].name);
    if (this.touched.at(-1) === number) {
      const again = this.shown.moves.filter((move) => begins(move, [...this.touched, number]));
      if (again.every((move) => move.any)) return this.clear();
    }
    const before = this.touched;
    this.touched = [...before, number];
    let found = this.candidates();
    if (found.length === 0 && before.length > 0) {
      // another piece is chosen instead, unless a whole move was meant
      this.touched = [number];
      found = this.candidates();
      if (found.length === 0 || found.some((move) => whole(move, this.touched))) {
        this.clear();
        return this.refused([...before, number].map((site) => this.shown.sites[site].name).join("-"));
      }
    } else if (found.length === 0) {
      const { name, holds } = this.shown.sites[number];
      // a piece that has no move is chosen all the same: the next site tells which move is forbidden
      if (!holds || !this.shown.moves.some((move) => !move.any && move.sites.length > 1)) {
        this.clear();
        return this.refused(name);
      }
    }
    const exact = found.filter((move) => whole(move, this.touched));
    if (exact.length === 1 && found.length === 1) return this.make(exact[0]);
    this.mark();
  }

  visit(number) {
    this.cells[this.at]?.setAttribute("tabindex", "-1");
    this.at = number;
    this.cells[number]?.setAttribute("tabindex", "0");
  }

  focus(number) {
    this.cells[number]?.focus();
  }

  key(event, number) {
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    if (event.key === "Enter" || event.key === " ") this.touch(number);
    else if (event.key === "Escape") this.clear();
    else if (ways[event.key]) this.focus(nearest(this.shown.sites, number, ways[event.key]));
    else return;
    event.preventDefault();
  }
}

/** Whether touched sites are the beginning of a move, or its first site and its last. */
function begins(move, touched) {
  if (move.any) return touched.every((site) => move.sites.includes(site));
  const sites = move.sites;
  if (touched.length > sites.length) return false;
  if (touched.every((site, i) => sites[i] === site)) return true;
  return touched.length === 2 && sites[0] === touched[0] && sites.at(-1) === touched[1];
}

/** Whether touched sites are all of a move. */
function whole(move, touched) {
  if (touched.length === 0) return false;
  if (move.any) return begins(move, touched);
  return begins(move, touched) && (touched.length === move.sites.length || (touched.length === 2 && move.sites.at(-1) === touched[1]));
}

/** How far a click may be from the middle of a site: half of the least distance. */
function reach(sites) {
  let least = Infinity;
  for (let i = 0; i < sites.length; i++)
    for (let j = 0; j < i; j++) least = Math.min(least, Math.hypot(sites[i].x - sites[j].x, sites[i].y - sites[j].y));
  return Math.max(8, Math.min(24, least * 0.5));
}

/** The nearest site in a direction. */
function nearest(sites, from, [dx, dy]) {
  let best = from;
  let least = Infinity;
  sites.forEach((site, number) => {
    const x = site.x - sites[from].x;
    const y = site.y - sites[from].y;
    const ahead = x * dx + y * dy;
    const aside = Math.abs(x * dy) + Math.abs(y * dx);
    if (ahead > 1 && ahead + 2 * aside < least) [least, best] = [ahead + 2 * aside, number];
  });
  return best;
}
