// The story of the paper in two browsers: enrol, be listed, ask, accept, place by clicking, be told why not, lose the
// connection and the server, come back, and end; once with the mouse, and once on a phone's width by keyboard alone.

import assert from "node:assert/strict";
import { browser, click, enrol, may, moveByClicks, person, plies, random, serve, until } from "./common.mjs";

async function story(running, { options, keyboard, seed, shots }) {
  const server = await serve();
  const draw = random(seed);
  const shoot = async (page, name) => {
    if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${shots}-${name}.png`, fullPage: true });
  };
  const anna = await person(running, server, options);
  let bert = await person(running, server, options);
  await enrol(anna.page, "Anna");
  await enrol(bert.page, "Bert");

  // Anna is listed among those who are here; Bert asks her for a game, in which the senior begins
  await bert.page.goto("/");
  await bert.page.getByRole("link", { name: "Anna" }).waitFor();
  await bert.page.goto("/games/nerenchi");
  await bert.page.locator("input[value=person]").check();
  await bert.page.locator("input[name=name]").fill("Anna");
  await bert.page.selectOption("select[name=seat]", "senior");
  await bert.page.getByRole("button", { name: "Start" }).click();
  await shoot(anna.page, "lobby");
  await anna.page.getByRole("button", { name: "Accept" }).click();
  await anna.page.waitForURL("**/game/1");
  await bert.page.waitForURL("**/game/1");
  assert.match(await anna.page.locator("#told").innerText(), /your turn: place a counter/);

  // a wrong click is answered with the reason
  await until("Anna may move", () => may(anna.page));
  await click(anna.page, "d7");
  await until("Bert sees it", async () => (await plies(bert.page)) === 1);
  await click(bert.page, "d7");
  await until("the reason", async () => /d7 is occupied by white/.test(await bert.page.locator("#message").innerText()));
  await shoot(bert.page, "refused");

  let [nerenchi, loss, removal] = [0, 0, 0];
  let made = 1;
  const people = () => [anna.page, bert.page];
  for (;;) {
    await until("both see the same", async () => {
      const counts = await Promise.all(people().map(plies));
      return counts.every((count) => count === made);
    }).catch(async (error) => {
      const said = people().map((page) => page.locator("#message").innerText());
      throw new Error(`${error.message} (${await Promise.all(people().map(plies))}, not ${made}): ${await Promise.all(said)}`);
    });
    const told = await Promise.all(people().map((page) => page.locator("#told").innerText()));
    if (told.some((text) => /The game is over/.test(text))) break;
    let mover = -1;
    await until("somebody may move", async () => {
      mover = (await Promise.all(people().map(may))).indexOf(true);
      return mover >= 0;
    });
    if (/you have a nerenchi: place again/.test(told[mover])) nerenchi++;
    if (/take one of the opponent's counters/.test(told[mover])) {
      if (removal++ === 0) await shoot(people()[1 - mover], "loses");
      if (/you will lose a counter/.test(told[1 - mover])) loss++;
    }
    await moveByClicks(people()[mover], draw, keyboard);
    made++;
    if (made === 12) {
      // Bert closes the browser, comes back, and is led straight into the game
      await bert.page.close();
      await until("Anna sees that he is away", async () => /away/.test(await anna.page.locator("#seats").innerText()), 20);
      bert.page = await bert.context.newPage();
      await bert.page.goto("/", { waitUntil: "commit" });
      await bert.page.waitForURL("**/game/1");
    }
    if (made === 20) {
      // the server is killed, and both go on by themselves
      await server.kill();
      await server.start();
    }
    if (made === 31) await shoot(people()[mover], "middle");
    assert.ok(made < 1500, "a random game of this seed ends before");
  }
  assert.ok(nerenchi > 0 && removal > 0 && loss === removal, `${nerenchi} nerenchis, ${removal} removals, ${loss} told`);
  for (const page of people()) {
    assert.match(await page.locator("#told").innerText(), /a win for (white|black)/);
    await shoot(page, "end");
    await page.locator("#history a").nth(4).click();
    const shown = (number) =>
      until(`position ${number}`, async () => {
        const marked = await page.locator("#history li:has([aria-current])").evaluateAll((items) => items.map((item) => item.value));
        return marked.length === 1 && marked[0] === number;
      });
    await shown(5);
    for (const [button, number] of [["One move on", 6], ["One move back", 5], ["Last position", made]]) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await shown(number);
    }
    // an address leads to a position of the game
    await page.goto("/game/1?ply=5");
    await shown(5);
    await page.locator("#board .site").first().waitFor();
    await page.goto("/history");
    assert.match(await page.locator("table").innerText(), /Nerenchi 1\s+Anna, Bert\s+a win for/);
  }
  const noise = /Failed to load resource|ERR_|EventSource/;
  for (const { errors, outside } of [anna, bert]) {
    assert.deepEqual(errors.filter((text) => !noise.test(text)), []);
    assert.deepEqual(outside, []);
  }
  await server.kill();
  console.log(`story ${shots}: ${made} moves, ${nerenchi} nerenchis, ${removal} removals`);
}

const running = await browser();
await story(running, { options: { viewport: { width: 1200, height: 900 } }, keyboard: false, seed: 3, shots: "mouse" });
await story(running, {
  options: { viewport: { width: 360, height: 740 }, colorScheme: "dark", hasTouch: true, isMobile: true },
  keyboard: true,
  seed: 11,
  shots: "keyboard",
});
await running.close();
process.exit(0);
