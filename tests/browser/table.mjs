// What belongs to a table beside its moves: dragging, clocks, somebody who looks on, another game with the seats exchanged.

import assert from "node:assert/strict";
import { browser, click, enrol, may, person, plies, serve, until } from "./common.mjs";

const running = await browser();
const server = await serve();
const text = (page, id) => page.locator(`#${id}`).innerText();

/** Drags what stands on a site to another one. */
async function drag(page, from, to) {
  const middle = async (site) => {
    const box = await page.locator(`[data-site="${site}"] .hit`).boundingBox();
    return [box.x + box.width / 2, box.y + box.height / 2];
  };
  const [start, end] = [await middle(from), await middle(to)];
  await page.mouse.move(...start);
  await page.mouse.down();
  await page.mouse.move((start[0] + end[0]) / 2, (start[1] + end[1]) / 2, { steps: 4 });
  const copied = await page.locator(".ghost > *").count();
  await page.mouse.move(...end, { steps: 4 });
  await page.mouse.up();
  return copied;
}

const anna = await person(running, server, { viewport: { width: 1100, height: 900 } });
const bert = await person(running, server, { viewport: { width: 360, height: 740 }, colorScheme: "dark" });
await enrol(anna.page, "Anna");
await enrol(bert.page, "Bert");
await bert.page.goto("/games/chess");
await bert.page.locator("input[value=person]").check();
await bert.page.locator("input[name=name]").fill("Anna");
await bert.page.selectOption("select[name=seat]", "senior");
await bert.page.selectOption("select[name=clock]", "3+2");
await bert.page.getByRole("button", { name: "Start" }).click();
await anna.page.getByText("3 minutes each and 2 s for each turn").waitFor();
await anna.page.getByRole("button", { name: "Accept" }).click();
await anna.page.waitForURL("**/game/1");
await bert.page.waitForURL("**/game/1");

// a piece is dragged; where that is not legal, the reason is told, and a drag to nowhere changes nothing
await until("Anna may move", () => may(anna.page));
assert.ok((await drag(anna.page, "e2", "e5")) > 0, "the piece goes with the pointer");
await until("the reason", async () => /not legal/.test(await text(anna.page, "message")));
await drag(anna.page, "e2", "e4");
await until("Bert sees the move", async () => (await plies(bert.page)) === 1);
await until("Bert may move", () => may(bert.page));
await drag(bert.page, "e7", "e5");
await until("Anna sees the move", async () => (await plies(anna.page)) === 2);
assert.equal(await anna.page.locator(".ghost").count(), 0);

// from the second turn on the clock runs, on both pages
const clock = async (page, seat) => (await page.locator("#seats .clock").allInnerTexts())[seat];
assert.equal(await clock(anna.page, 1), "3:00");
await until("the clock runs", async () => /^2:5\d$/.test(await clock(anna.page, 0)));
await until("the clock runs on the other page", async () => /^2:5\d$/.test(await clock(bert.page, 0)));

// somebody looks on, whom nothing lets move
const carl = await person(running, server);
await click(anna.page, "g1");
await carl.page.goto("/game/1");
await until("Anna sees that one looks on", async () => /One looks on/.test(await text(anna.page, "onlookers")));
assert.equal(await carl.page.locator("#type, #commands, #say").count(), 0);
if (process.env.SHOTS) for (const [name, { page }] of Object.entries({ anna, bert, carl })) await page.screenshot({ path: `${process.env.SHOTS}/table-${name}.png`, fullPage: true });
await carl.page.close();
await until("nobody looks on", async () => !(await anna.page.locator("#onlookers").isVisible()), 40);

// what others do meanwhile takes back no half of a move, and offers no second move while one is on its way
assert.equal(await anna.page.locator(".site.touched").getAttribute("data-site"), "g1");
let arrive;
await anna.page.route("**/game/1/move", async (route) => {
  await new Promise((resolve) => (arrive = resolve));
  await route.continue();
});
await click(anna.page, "f3");
await until("the move is on its way", () => arrive);
await bert.page.locator("#say input[name=text]").fill("Well played");
await bert.page.locator("#say button").click();
await anna.page.getByText("Well played").waitFor();
assert.equal(await may(anna.page), false);
arrive();
await until("the move arrives", async () => (await plies(anna.page)) === 3);
assert.equal(await text(anna.page, "message"), "");

// the game ends, and both agree on another one, in which Bert begins
anna.page.once("dialog", (dialog) => dialog.accept());
await anna.page.getByRole("button", { name: "Resign" }).click();
await bert.page.getByRole("button", { name: "Ask for another game" }).click();
await anna.page.getByText("Bert (black) asks for another game.").waitFor();
await anna.page.getByRole("button", { name: "Agree" }).click();
await anna.page.waitForURL("**/game/2");
await bert.page.waitForURL("**/game/2");
await until("Bert may move", () => may(bert.page));
assert.deepEqual(await Promise.all([0, 1].map((seat) => clock(bert.page, seat))), ["3:00", "3:00"]);
await bert.page.goto("/game/1");
await bert.page.getByRole("link", { name: "The next game" }).click();
await bert.page.waitForURL("**/game/2");

// without scripts everything is a form: enrol, ask the computer for a game, type moves, be told why not, resign
const plain = await person(running, server, { javaScriptEnabled: false });
await enrol(plain.page, "Emil");
await plain.page.goto("/games/nerenchi");
await plain.page.getByRole("button", { name: "Start" }).click();
await plain.page.waitForURL("**/game/*");
assert.ok((await plain.page.locator("#board svg circle").count()) > 0, "the board is drawn");
const type = async (move) => {
  await plain.page.locator("#type input[name=move]").fill(move);
  await plain.page.getByRole("button", { name: "Play" }).click();
};
await type("d7");
await plain.page.locator("#history a", { hasText: "d7" }).waitFor();
await until("the computer has answered", async () => {
  await plain.page.reload();
  return /It is your turn/.test(await text(plain.page, "told"));
});
await type("d7");
await plain.page.getByText(/d7 is occupied by white/).waitFor();
await plain.page.goBack();
await plain.page.locator("#why input[name=what]").fill("d7");
await plain.page.locator("#why button").click();
await plain.page.locator("#reason", { hasText: "d7 is occupied by white" }).waitFor();
await plain.page.getByRole("button", { name: "Hint" }).click();
await plain.page.locator("#reason", { hasText: /^Hint: / }).waitFor();
await plain.page.locator("#history a").first().click();
assert.equal(await plain.page.locator("#history [aria-current]").innerText(), "d7");
await plain.page.getByRole("button", { name: "Resign" }).click();
await plain.page.getByText("The game is over").waitFor();

const noise = /status of 4\d\d|ERR_/;
for (const { errors, outside } of [anna, bert, carl]) {
  assert.deepEqual(errors.filter((error) => !noise.test(error)), []);
  assert.deepEqual(outside, []);
}
console.log("table: done");
await running.close();
process.exit(0);
