// Every shipped game is begun from its page against the computer and played through the page's own clicks: some moves with the
// mouse, then to its end, or for MOST moves of long games. `MOST=100000 node games.mjs NAME…` plays some games to their ends.

import assert from "node:assert/strict";
import { browser, enrol, may, moveByClicks, person, playInPage, plies, random, serve, until } from "./common.mjs";

/** How many moves of each game are made with the mouse, and how many at the most behind them. */
const MOVES = 2;
const MOST = Number(process.env.MOST || 30);

/** How many games are played at a time. */
const HANDS = 3;

const running = await browser();
const server = await serve();
const draw = random(7);
const viewport = { width: 1100, height: 900 };

/** Plays a game in a player's page, and tells whether it came to its end; what goes wrong names the game. */
const play = (player, name, seed) =>
  played(player, name, seed).catch((error) => {
    throw new Error(`${name}: ${error.message}`, { cause: error });
  });

async function played({ page, errors }, name, seed) {
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
  const { made: more } = await playInPage(page, MOST, seed);
  assert.equal(await message(), "", name);
  await until(`${name}: the computer has answered`, async () => (await over()) || (await may(page)), 60);
  const shown = await page.locator("#board svg .site").count();
  assert.ok(shown > 0 || (await page.locator("#board pre").count()) > 0, `${name} has a board`);
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/game-${name}.png` });
  const ended = await over();
  const end = ended ? `, ${await page.locator("#told").innerText()}` : "";
  console.log(`${name}: ${made + more} moves by clicks, ${await plies(page)} in all${end}`);
  if (!ended) {
    page.once("dialog", (dialog) => dialog.accept());
    await page.getByRole("button", { name: "Resign" }).click();
    await until(`${name} is resigned`, over);
  }
  const refused = errors.splice(0).filter((text) => !/409|429/.test(text));
  assert.deepEqual(refused, [], name);
  return ended;
}

const visitor = await person(running, server);
await visitor.page.goto("/games");
const links = visitor.page.locator(".gallery a");
const listed = await links.evaluateAll((links) => links.map((link) => link.getAttribute("href").split("/").pop()));
assert.ok(listed.length >= 68, `${listed.length} games`);
const wanted = process.argv.slice(2);
const queue = listed.filter((name) => wanted.length === 0 || wanted.includes(name));
assert.ok(queue.length > 0, `no game is called ${wanted}`);
const all = queue.length;
let ended = 0;
await Promise.all(
  Array.from({ length: Math.min(HANDS, all) }, async (_, hand) => {
    // a game is taken before anything is awaited: another hand may take the last one in the meantime
    for (let count = 0, player, name; (name = queue.shift()) !== undefined; count++) {
      if (count % 12 === 0) {
        // what one person may begin in a time is limited
        await player?.context.close();
        player = await person(running, server, { viewport });
        await enrol(player.page, `Anna ${hand} ${count}`);
      }
      const done = await play(player, name, listed.indexOf(name) + 1);
      ended += Number(done);
    }
  }),
);
console.log(`games: ${ended} of ${all} were played to their ends`);
await running.close();
process.exit(0);
