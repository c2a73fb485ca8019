// Games at once against one server: each has two visitors with their pages open, and a move every two seconds. Tells how long
// the answers took, and what the process of the server needed. `node load.mjs --help` lists the options.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import http from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { gunzipSync } from "node:zlib";

const { values: given } = parseArgs({
  options: {
    ludex: { type: "string", default: "target/release/ludex" },
    games: { type: "string", default: "1000" },
    seconds: { type: "string", default: "60" },
    every: { type: "string", default: "2" },
    kinds: { type: "string", default: "nerenchi,hex,chess,reversi,english_draughts,kalah,breakthrough,connect_four,nine_mens_morris,shogi" },
    help: { type: "boolean", default: false },
  },
});
if (given.help) {
  console.log("node load.mjs [--ludex PROGRAM] [--games N] [--seconds N] [--every SECONDS] [--kinds GAME,…]");
  process.exit(0);
}
const [games, seconds, every] = [given.games, given.seconds, given.every].map(Number);
const kinds = given.kinds.split(",");

/** Random numbers that are the same each time. */
let seed = 1;
const draw = (below) => {
  seed = (seed * 1103515245 + 12345) % 2147483648;
  return Math.floor((seed / 2147483648) * below);
};
const wait = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Starts the server, with a proxy's header to tell the visitors apart. */
async function serve(folder) {
  const began = performance.now();
  const child = spawn(given.ludex, ["serve", "--listen", "127.0.0.1:0", "--data", folder, "--peer-header", "X-Forwarded-For"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const port = await new Promise((resolve, reject) => {
    child.stdout.on("data", (bytes) => resolve(Number(/:(\d+)\s*$/.exec(String(bytes))?.[1])));
    child.on("exit", () => reject(new Error("the server has ended")));
  });
  return { child, port, started: performance.now() - began };
}

/** A number of the process in /proc, in MB. */
function memory(pid, name) {
  const line = readFileSync(`/proc/${pid}/status`, "utf8").match(new RegExp(`${name}:\\s+(\\d+)`));
  return Number(line[1]) / 1024;
}

/** The time of the processor that the process has taken, in seconds. */
function processor(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The pages of games that were loaded, with their times and lengths. */
const pages = [];
const agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
const statuses = new Map();
let port = 0;

/** Sends a request and returns the answer, with the time that it took. */
function send(visitor, method, path, fields) {
  const body = fields && new URLSearchParams({ ...fields, csrf: visitor.csrf }).toString();
  const began = performance.now();
  return new Promise((resolve, reject) => {
    const headers = { accept: "application/json", "accept-encoding": "gzip", "x-forwarded-for": visitor.peer, cookie: `ludex=${visitor.secret}` };
    if (body) Object.assign(headers, { "content-type": "application/x-www-form-urlencoded", "content-length": body.length });
    const request = http.request({ port, host: "127.0.0.1", method, path, headers, agent }, (response) => {
      const parts = [];
      response.on("data", (part) => parts.push(part));
      response.on("end", () => {
        const sent = Buffer.concat(parts);
        const took = performance.now() - began;
        const text = String(response.headers["content-encoding"] === "gzip" ? gunzipSync(sent) : sent);
        const { statusCode: status } = response;
        statuses.set(status, (statuses.get(status) || 0) + 1);
        const cookie = response.headers["set-cookie"]?.[0].match(/ludex=([0-9a-f]+)/);
        if (cookie) identify(visitor, cookie[1]);
        resolve({ status, text, took, sent: sent.length });
      });
    });
    request.on("error", reject);
    request.end(body);
  });
}

function identify(visitor, secret) {
  visitor.secret = secret;
  visitor.csrf = createHash("sha256").update(`csrf:${secret}`).digest("hex");
}

async function expect(visitor, path, fields) {
  const answer = await send(visitor, "POST", path, fields);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
  return JSON.parse(answer.text);
}

async function guest(number) {
  const visitor = { peer: `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}` };
  identify(visitor, createHash("sha256").update(`visitor ${number}`).digest("hex"));
  visitor.name = `Guest ${number}`;
  await expect(visitor, "/guest", { name: visitor.name });
  return visitor;
}

/** Keeps the page's stream of events open; `seen` is given the last state of each piece that arrives. Browsers have machines of
    their own, so this one reads as little of it as it can. */
function watch(visitor, path, seen) {
  const headers = { "x-forwarded-for": visitor.peer, cookie: `ludex=${visitor.secret}` };
  const request = http.request({ port, host: "127.0.0.1", path, headers, agent: false }, (response) => {
    let parts = [];
    response.on("data", (part) => {
      parts.push(part);
      if (part.at(-1) !== 10 || part.at(-2) !== 10) return;
      const whole = parts.length === 1 ? part : Buffer.concat(parts);
      parts = [];
      const from = whole.lastIndexOf("data: {");
      if (from < 0) return;
      const head = /"mine":(true|false),"ply":(\d+),"result":(null|")/.exec(whole.toString("latin1", from, from + 4000));
      seen({ mine: head[1] === "true", ply: Number(head[2]), over: head[3] !== "null", whole });
    });
  });
  request.on("error", () => {});
  request.end();
  visitor.stream = request;
}

/** One of the moves that a state offers. */
function chosen({ whole }) {
  const from = whole.lastIndexOf('"moves":[');
  const first = whole.indexOf('{"move":"', from);
  const at = whole.lastIndexOf('{"move":"', first + draw(whole.length - first));
  return JSON.parse(whole.toString("utf8", at + 8, whole.indexOf('","notation"', at) + 1));
}

/** Two visitors in a game of theirs. */
async function pair(number) {
  const people = [await guest(2 * number), await guest(2 * number + 1)];
  const game = kinds[number % kinds.length];
  const table = { people, game };
  await begin(table);
  return table;
}

async function begin(table) {
  const [first, second] = table.people;
  await expect(first, "/challenges", { game: table.game, against: "person", name: second.name, seat: "senior" });
  const list = (await send(second, "GET", "/lobby/list")).text;
  const id = list.match(/\/challenges\/(\d+)\/accept/)[1];
  table.path = (await expect(second, `/challenges/${id}/accept`, {})).go;
  table.state = null;
  for (const person of table.people) {
    person.stream?.destroy();
    const page = await send(person, "GET", table.path);
    if (page.status !== 200) throw new Error(`${table.path}: ${page.status}`);
    pages.push(page);
    watch(person, `${table.path}/events`, (state) => {
      // a state that repeats the position has no moves
      if (state.over || (state.mine && state.whole.includes('"moves":[{'))) table.state = { mover: person, ...state };
    });
  }
}

const share = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];

const folder = mkdtempSync(join(tmpdir(), "ludex-load-"));
const server = await serve(folder);
port = server.port;
const { pid } = server.child;
await wait(500);
const idle = memory(pid, "VmRSS");
console.log(`start ${server.started.toFixed(0)} ms, idle memory ${idle.toFixed(1)} MB`);

const tables = [];
for (let number = 0; number < games; number += 20) {
  const count = Math.min(20, games - number);
  tables.push(...(await Promise.all(Array.from({ length: count }, (_, i) => pair(number + i)))));
}
console.log(`${tables.length} games, ${2 * tables.length} event streams`);
const loaded = pages.map(({ took }) => took).sort((a, b) => a - b);
const mean = (length) => (pages.reduce((sum, page) => sum + length(page), 0) / pages.length / 1000).toFixed(1);
console.log(
  `${pages.length} pages of games: half within ${share(loaded, 0.5).toFixed(1)} ms, 99 % within ${share(loaded, 0.99).toFixed(1)} ms, ` +
    `${mean(({ text }) => text.length)} kB on average, sent as ${mean(({ sent }) => sent)} kB`,
);

const times = [];
let [again, late, moves] = [0, 0, 0];
let going = true;
async function play(table) {
  await wait(draw(every * 1000));
  while (going) {
    const next = performance.now() + every * 1000;
    const { state } = table;
    if (state?.over) {
      again++;
      await begin(table);
    } else if (state) {
      const move = chosen(state);
      table.state = null;
      const answer = await send(state.mover, "POST", `${table.path}/move`, { move, ply: state.ply });
      times.push(answer.took);
      if (answer.status === 200) moves++;
    } else late++;
    await wait(Math.max(0, next - performance.now()));
  }
}
const before = processor(pid);
const began = performance.now();
const playing = tables.map(play);
await wait(seconds * 1000);
going = false;
const took = (performance.now() - began) / 1000;
const used = processor(pid) - before;
await Promise.all(playing);
times.sort((a, b) => a - b);
const told = [0.5, 0.9, 0.99, 0.999].map((part) => `${part * 100} % ${share(times, part).toFixed(1)} ms`);
console.log(`${moves} moves in ${took.toFixed(0)} s (${(moves / took).toFixed(0)} a second); answers: ${told.join(", ")}, longest ${times.at(-1).toFixed(0)} ms`);
console.log(`memory ${memory(pid, "VmRSS").toFixed(0)} MB, most ${memory(pid, "VmHWM").toFixed(0)} MB; processors ${(used / took).toFixed(2)} of 2`);
console.log(`games begun again ${again}, moves that had to wait for a state ${late}, answers by status ${JSON.stringify(Object.fromEntries(statuses))}`);
server.child.kill("SIGTERM");
rmSync(folder, { recursive: true, force: true });
process.exit(0);
