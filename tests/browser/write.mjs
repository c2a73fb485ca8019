// The page on which rules are written: diagnostics as one types, the board beside, why by clicking, questions, sharing, and
// a game of the shared rules.

import assert from "node:assert/strict";
import { browser, click, enrol, person, serve, until } from "./common.mjs";

const running = await browser();
const server = await serve();
const text = (page, id) => page.locator(`#${id}`).innerText();

for (const [name, options] of [
  ["desktop", { viewport: { width: 1200, height: 900 } }],
  ["phone", { viewport: { width: 360, height: 740 }, colorScheme: "dark" }],
]) {
  const { page, errors, outside } = await person(running, server, options);
  const shoot = async (what) => process.env.SHOTS && (await page.screenshot({ path: `${process.env.SHOTS}/write-${name}-${what}.png`, fullPage: true }));
  await enrol(page, `Anna ${name}`);
  await page.goto("/write");
  await until("the rules are checked", async () => /No faults/.test(await text(page, "faults")));
  await page.locator('[data-site="b2"]').waitFor();

  // a move by a click, and the reason for another one
  await click(page, "b2");
  await until("x has moved", async () => /o is to move/.test(await text(page, "told")));
  await click(page, "b2");
  await until("the reason", async () => /b2 is occupied by x/.test(await text(page, "message")));
  for (const [question, answer] of [["?- at(P, Who)", /P = b2, Who = x/], ["why b2", /b2 is occupied/], ["?- at(P, nobody)", /nobody/]]) {
    await page.locator("#ask input").fill(question);
    await page.getByRole("button", { name: "Ask" }).click();
    await until(`the answer to ${question}`, async () => answer.test(await text(page, "answer")));
  }

  // a mistake is told at its place while one types, and the board stays
  const editor = page.locator("#editor .cm-content");
  await editor.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\nwin(P) :- nothing(P).");
  await until("the fault", async () => /no relation `nothing\/1`/.test(await text(page, "faults")));
  assert.ok(await page.locator("#editor .cm-lintRange-error").count(), "it is marked in the text");
  await shoot("fault");
  for (let i = 0; i < "\nwin(P) :- nothing(P).".length; i++) await page.keyboard.press("Backspace");
  await until("no faults", async () => /No faults/.test(await text(page, "faults")));
  await page.getByRole("button", { name: "Take back" }).click();
  await until("x is to move again", async () => /x is to move/.test(await text(page, "told")));
  await page.getByRole("button", { name: "Computer's move" }).click();
  await until("the computer has moved", async () => /o is to move/.test(await text(page, "told")));

  // clauses that take no part in play are marked in the text, and random games are summed up
  const unused = "\nwin(P) :- turn(P), at(a1, x), at(a1, o).";
  await editor.click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type(unused);
  await until("the text is checked", async () => /No faults/.test(await text(page, "faults")));
  await page.waitForTimeout(1000);
  await page.getByRole("button", { name: "Which clauses are used?" }).click();
  await until("the unused clause", async () => /line \d+: win\(P\): never held/.test(await text(page, "study")), 30);
  assert.match(await text(page, "study"), /\d+ of \d+ clauses held in \d+ positions of 100 random games/);
  await until("it is marked in the text", async () => (await page.locator("#editor .cm-lintRange-warning").count()) === 1);
  await shoot("coverage");
  await page.getByRole("button", { name: "What are random games like?" }).click();
  await until("the games", async () => /300 random games: 7\.\d moves on average, 5 to 9/.test(await text(page, "study")), 30);
  assert.match(await text(page, "study"), /Wins: x \d+ %, o \d+ %, no winner \d+ %/);
  await editor.click();
  await page.keyboard.press("Control+End");
  for (let i = 0; i < unused.length; i++) await page.keyboard.press("Backspace");
  await until("the report is gone", async () => (await text(page, "study")) === "");
  await page.waitForTimeout(1000);

  // the computer answers for the side that it is given
  await page.locator("#computer").selectOption("o");
  await until("the computer has answered", async () => /x is to move/.test(await text(page, "told")));
  await page.locator(".site.next").first().locator(".hit").click({ force: true });
  await until("it answers again", async () => (await page.locator(".site.next").count()) === 5 || /over/.test(await text(page, "told")));
  await page.locator("#computer").selectOption("");

  // shared rules have an address, at which they can be played
  await page.getByRole("button", { name: "Share" }).click();
  await page.waitForURL("**/write/*");
  await page.locator("input[value=computer]").check();
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL("**/game/*");
  await page.locator(".site.next").first().waitFor();
  await shoot("played");

  // a shipped game to begin with
  await page.goto("/write?game=chess");
  await until("chess is checked", async () => /No faults/.test(await text(page, "faults")), 30);
  await click(page, "e2");
  await click(page, "e4");
  await until("the pawn has moved", async () => /black is to move/.test(await text(page, "told")));
  await click(page, "a8");
  await click(page, "a5");
  await until("the reason", async () => /a7 is occupied by black's pawn/.test(await text(page, "message")));
  await shoot("chess");
  const noise = /status of 4\d\d/;
  assert.deepEqual(errors.filter((error) => !noise.test(error)), []);
  assert.deepEqual(outside, []);
  console.log(`write ${name}: done`);
}
await running.close();
process.exit(0);
