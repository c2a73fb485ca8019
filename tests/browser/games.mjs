// Every shipped game is begun from its page against the computer and played through the page's own clicks, for some moves
// or to its end. `node games.mjs NAME…` plays some games only.

import assert from "node:assert/strict";
import { browser, enrol, may, moveByClicks, person, plies, random, serve, until } from "./common.mjs";

/** How many moves of each game are made by clicks. */
const MOVES = 6;

const running = await browser();
const server = await serve();
const draw = random(7);
let { page, errors, context } = await person(running, server, { viewport: { width: 1100, height: 900 } });
await enrol(page, "Anna 0");
await page.goto("/games");
const listed = await page.locator(".gallery a").evaluateAll((links) => links.map((link) => link.getAttribute("href").split("/").pop()));
assert.ok(listed.length >= 68, `${listed.length} games`);
const wanted = process.argv.slice(2);
let number = 0;
for (const name of listed.filter((name) => wanted.length === 0 || wanted.includes(name))) {
  if (++number % 12 === 0) {
    // what one person may begin in a time is limited
    await context.close();
    ({ page, errors, context } = await person(running, server, { viewport: { width: 1100, height: 900 } }));
    await enrol(page, `Anna ${number}`);
  }
  await page.goto(`/games/${name}`);
  const strength = page.locator("select[name=strength]");
  if (await strength.count()) await strength.selectOption("1");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL("**/game/*");
  const over = async () => /The game is over/.test(await page.locator("#told").innerText());
  const message = () => page.locator("#message").innerText();
  let made = 0;
  for (; made < MOVES; made++) {
    await until(`${name}: a move can be made`, async () => (await over()) || (await may(page)), 60);
    if (await over()) break;
    await moveByClicks(page, draw);
    assert.equal(await message(), "", name);
  }
  await until(`${name}: the computer has answered`, async () => (await over()) || (await may(page)), 60);
  const shown = await page.locator("#board svg .site").count();
  assert.ok(shown > 0 || (await page.locator("#board pre").count()) > 0, `${name} has a board`);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/game-${name}.png` });
  console.log(`${name}: ${made} moves by clicks, ${await plies(page)} in all`);
  if (!(await over())) {
    page.once("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Resign" }).click();
    await until(`${name} is resigned`, over);
  }
  const refused = errors.splice(0).filter((text) => !/409/.test(text));
  assert.deepEqual(refused, [], name);
}
await running.close();
process.exit(0);
