// What holds for every page: no id twice, no horizontal scrolling on a phone, no fault that axe-core finds, in light and in dark; and the
// weight of the page of a game.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { browser, enrol, person, serve, until } from "./common.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The most that the page of a game and all that it loads may weigh, in bytes. */
const HEAVIEST = 200_000;

const running = await browser();
const server = await serve();

/** Loads a page and looks at it, and tells what it weighs. */
async function looked(page, path, colorScheme, patience = 800) {
  await page.goto(path);
  await page.waitForTimeout(patience);
  // whether they come from the browser's cache or not
  const weight = await page.evaluate(() =>
    ["navigation", "resource"]
      .flatMap((type) => performance.getEntriesByType(type))
      .reduce((sum, entry) => sum + entry.decodedBodySize, 0),
  );
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
  assert.ok(wide <= 0, `${path} is ${wide} px too wide`);
  const twice = await page.evaluate(() => {
    const all = [...document.querySelectorAll("[id]")].map(({ id }) => id);
    return all.filter((id, place) => all.indexOf(id) !== place);
  });
  assert.deepEqual(twice, [], `${path} has an id twice`);
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  const told = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html.slice(0, 120)).join(" | ")}`);
  assert.deepEqual(told, [], `${path} (${colorScheme})`);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/page-${colorScheme}${path.replaceAll("/", "-")}.png`, fullPage: true });
  return weight;
}

for (const colorScheme of ["light", "dark"]) {
  const { page } = await person(running, server, { viewport: { width: 360, height: 740 }, colorScheme });
  const look = (path, by = page) => looked(by, path, colorScheme);
  await look("/");
  await enrol(page, `Anna ${colorScheme}`);
  for (const path of ["/", "/games", "/games/chess", "/games/chinese_checkers", "/games/hex/report", "/write", "/history", "/nowhere"]) await look(path);
  await page.goto("/games/chess");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL("**/game/*");
  const weight = await look(new URL(page.url()).pathname);
  assert.ok(weight > 20_000 && weight < HEAVIEST, `the page of a game weighs ${weight} bytes`);
  console.log(`pages ${colorScheme}: the page of a game weighs ${weight} bytes`);

  // shared rules with the form to play them
  await page.goto("/write");
  await until("the rules are checked", async () => /No faults/.test(await page.locator("#faults").innerText()));
  await page.getByRole("button", { name: "Share" }).click();
  await page.waitForURL("**/write/*");
  await look(new URL(page.url()).pathname);

  // a challenge, a game of two with clocks, chat and an offer, for a player, a spectator, and when it is over
  const bert = await person(running, server, { viewport: { width: 360, height: 740 }, colorScheme });
  await enrol(bert.page, `Bert ${colorScheme}`);
  await page.goto("/games/hex");
  await page.locator("input[value=person]").check();
  await page.locator("input[name=name]").fill(`Bert ${colorScheme}`);
  await page.selectOption("select[name=seat]", "senior");
  await page.selectOption("select[name=clock]", "3+2");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL(`${server.url}/`);
  await look("/");
  await bert.page.goto("/");
  await bert.page.getByRole("button", { name: "Accept" }).click();
  await bert.page.waitForURL("**/game/*");
  const game = new URL(bert.page.url()).pathname;
  await bert.page.locator("#say input[name=text]").fill("Good luck");
  await bert.page.locator("#say button").click();
  await bert.page.getByText("Good luck").waitFor();
  await bert.page.getByRole("button", { name: "Offer a draw" }).click();
  // the page of the lobby goes to the game by itself, which would interrupt a visit that begins before
  await page.waitForURL(`**${game}`);
  await look(game);
  assert.ok(await page.getByRole("button", { name: "Agree" }).isVisible(), "there is an offer to look at");
  const carl = await person(running, server, { viewport: { width: 360, height: 740 }, colorScheme });
  await look(game, carl.page);
  await page.getByRole("button", { name: "Agree" }).click();
  await page.getByText("a draw by agreement").waitFor();
  await look(game);
  await look("/history");
  for (const { context } of [bert, carl]) await context.close();
}

// the page of every shipped game
const { page } = await person(running, server, { viewport: { width: 360, height: 740 } });
await enrol(page, "Dora");
await page.goto("/games");
const paths = await page.locator(".gallery a").evaluateAll((links) => links.map((link) => new URL(link.href).pathname));
assert.ok(paths.length >= 68, `${paths.length} games`);
for (const path of paths) await looked(page, path, "light", 0);
console.log(`pages: ${paths.length} pages of games`);

// a small game is solved while its page is read, and tells then what it comes to
await until("the values of a small game are on its page", async () => {
  await page.goto("/games/three_mens_morris");
  const told = await page.locator("#exact + p").allInnerTexts();
  return /^With best play white wins in \d+ plies: \S+ wins in \d+ plies/.test(told[0] ?? "");
});
await looked(page, "/games/three_mens_morris", "light", 0);
await page.getByRole("button", { name: "Start" }).click();
await page.waitForURL("**/game/*");
await page.locator("#hint").click();
await page.getByText(/With best play white wins in \d+ plies: \S+ wins in \d+ plies/).first().waitFor();
await running.close();
process.exit(0);
