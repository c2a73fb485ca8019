// What the browser tests share: a server with a folder of its own, and browsers as people have them.

import { execSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";

/** A program that is asked for by an environment variable. */
function program(name) {
  const path = process.env[name];
  if (!path) throw new Error(`${name} is not set: run tests/browser/run`);
  return path;
}

/** The arguments that name a database: a file of its own, or a new one at the server of `tests/databases`. */
function where() {
  const { LUDEX_DATABASE: url, LUDEX_CREATE_DATABASE: create } = process.env;
  if (!url) {
    const folder = mkdtempSync(join(tmpdir(), "ludex-browser-"));
    process.on("exit", () => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
    return ["--data", folder];
  }
  const name = `ludex_browser_${process.pid}_${++databases}`;
  execSync(`${create} ${name}`, { stdio: "inherit" });
  return ["--database", url + name];
}
let databases = 0;

/** Starts the server on a free port; `kill` ends it with -9, `start` starts it again on the same port and data. */
export async function serve() {
  const server = { port: 0 };
  const database = where();
  server.start = () =>
    new Promise((resolve, reject) => {
      const child = spawn(program("LUDEX"), ["serve", "--listen", `127.0.0.1:${server.port}`, ...database]);
      let told = "";
      child.stdout.on("data", (bytes) => {
        told += bytes;
        const found = /serving on http:\/\/127\.0\.0\.1:(\d+)/.exec(told);
        if (!found) return;
        server.port = Number(found[1]);
        server.url = `http://127.0.0.1:${found[1]}`;
        resolve(server);
      });
      child.stderr.on("data", (bytes) => process.stderr.write(bytes));
      child.on("exit", () => reject(new Error(`the server has ended: ${told}`)));
      server.child = child;
    });
  server.kill = () =>
    new Promise((resolve) => {
      server.child.once("exit", resolve);
      server.child.kill("SIGKILL");
    });
  process.on("exit", () => server.child.kill("SIGKILL"));
  return server.start();
}

export const browser = () =>
  chromium.launch({
    executablePath: program("CHROMIUM"),
    args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
  });

/** A person with a browser of their own. What its console says of errors is kept in `errors`. */
export async function person(running, server, options = {}) {
  const context = await running.newContext({ baseURL: server.url, ...options });
  const page = await context.newPage();
  const errors = [];
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("pageerror", (error) => errors.push(String(error)));
  const outside = [];
  page.on("request", (request) => request.url().startsWith(server.url) || outside.push(request.url()));
  if (process.env.ASSETS)
    await page.route("**/assets/*/*", async (route) => {
      const name = new URL(route.request().url()).pathname.split("/").pop();
      const type = { css: "text/css", js: "text/javascript", svg: "image/svg+xml" }[name.split(".").pop()];
      await route.fulfill({ body: await readFile(join(process.env.ASSETS, name)), contentType: type });
    });
  return { context, page, errors, outside };
}

export async function enrol(page, name) {
  await page.goto("/");
  const form = page.locator('form[action="/enrol"]');
  await form.getByLabel("Name").fill(name);
  await form.getByLabel("Password").fill("correct horse battery");
  await form.getByRole("button").click();
  await form.waitFor({ state: "detached" });
  await page.waitForLoadState();
}

/** Clicks a site of the board. */
export const click = (page, site) => page.locator(`[data-site="${site}"] .hit`).click({ force: true });

/** Random numbers that are the same each time. */
export function random(seed) {
  return (below) => {
    seed = (seed * 1103515245 + 12345) % 2147483648;
    return Math.floor((seed / 2147483648) * below);
  };
}

/** Waits until something is so. */
export async function until(what, holds, seconds = 15) {
  const end = Date.now() + seconds * 1000;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** How many moves the page lists. */
export const plies = (page) => page.locator("#history li").count();

/** Whether a move can be made: sites or buttons are offered. */
export const may = (page) =>
  page.evaluate(() => !!document.querySelector(".site.next") || !document.getElementById("choice").hidden);

/** Makes a random legal move with what the page offers: sites that can be chosen, then a choice if there is one. */
export async function moveByClicks(page, draw, keyboard = false) {
  const before = await plies(page);
  for (let step = 0; step < 20; step++) {
    // all at one moment, since the next position may arrive at any
    const offered = await page.evaluate(() => {
      const sites = [...document.querySelectorAll(".site.next")].map((site) => site.dataset.site);
      const box = document.getElementById("choice");
      const buttons = box.hidden ? 0 : box.querySelectorAll("button").length;
      const made = document.querySelectorAll("#history li").length;
      return { sites, buttons, made, touched: Number(document.getElementById("board").dataset.touched) };
    });
    if (offered.made !== before) return;
    const { sites, buttons, touched } = offered;
    if (buttons && (touched || draw(sites.length + buttons) >= sites.length)) {
      const button = page.locator("#choice button").nth(draw(buttons));
      await (keyboard ? button.press("Enter") : button.click());
    } else if (sites.length) {
      const site = page.locator(`[data-site="${sites[draw(sites.length)]}"]`);
      if (keyboard) {
        await site.focus();
        await page.keyboard.press("Enter");
      } else await site.locator(".hit").click({ force: true });
    }
    const moved = async () => (await plies(page)) !== before;
    const changed = async () =>
      (await moved()) || (await page.evaluate(() => Number(document.getElementById("board").dataset.touched))) !== touched;
    // a board that is drawn again under the pointer takes no click: a person clicks once more
    await until("a click does something", changed, 3).catch(() => {});
  }
  if ((await plies(page)) === before) throw new Error("no move was made by clicks");
}

/** Makes random moves with what the page offers until the game is over or `most` moves are made; the clicks are the page's own
    events, without the way through the browser's mouse. Returns how many moves were made, and whether the game is over. */
export const playInPage = (page, most, seed) =>
  page.evaluate(
    async ([most, seed]) => {
      const draw = (below) => {
        seed = (seed * 1103515245 + 12345) % 2147483648;
        return Math.floor((seed / 2147483648) * below);
      };
      const box = document.getElementById("choice");
      const over = () => /The game is over/.test(document.getElementById("told").textContent);
      const plies = () => document.querySelectorAll("#history li").length;
      const touched = () => Number(document.getElementById("board").dataset.touched);
      const offered = () => [...document.querySelectorAll(".site.next")];
      const buttons = () => (box.hidden ? [] : [...box.querySelectorAll("button")]);
      const until = async (what, holds) => {
        const end = Date.now() + 60_000;
        while (!holds()) {
          if (Date.now() > end) throw new Error(`waited in vain: ${what}: ${document.getElementById("message").textContent}`);
          await new Promise((resolve) => setTimeout(resolve, 4));
        }
      };
      for (let made = 0; ; made++) {
        await until("a move can be made", () => over() || offered().length || buttons().length);
        if (over() || made === most) return { made, over: over() };
        const before = plies();
        for (let step = 0; plies() === before; step++) {
          if (step === 40) throw new Error("no move was made by clicks");
          const [sites, choices, chosen] = [offered(), buttons(), touched()];
          if (choices.length && (chosen || draw(sites.length + choices.length) >= sites.length)) choices[draw(choices.length)].click();
          else if (sites.length) sites[draw(sites.length)].dispatchEvent(new MouseEvent("click", { bubbles: true }));
          await until("a click does something", () => plies() !== before || touched() !== chosen);
        }
      }
    },
    [most, seed],
  );
