// What holds for every page: no id twice, no horizontal scrolling on a phone, no fault that axe-core finds, in light and in dark; and the
// weight of the page of a game.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { browser, enrol, person, serve } from "./common.mjs";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
/** The most that the page of a game and all that it loads may weigh, in bytes. */
const HEAVIEST = 200_000;

const running = await browser();
const server = await serve();

for (const colorScheme of ["light", "dark"]) {
  const { page } = await person(running, server, { viewport: { width: 360, height: 740 }, colorScheme });
  const look = async (path) => {
    await page.goto(path);
    await page.waitForTimeout(800);
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
  };
  await look("/");
  await enrol(page, `Anna ${colorScheme}`);
  for (const path of ["/", "/games", "/games/chess", "/games/chinese_checkers", "/write", "/history", "/nowhere"]) await look(path);
  await page.goto("/games/chess");
  await page.getByRole("button", { name: "Start" }).click();
  await page.waitForURL("**/game/*");
  const weight = await look(new URL(page.url()).pathname);
  assert.ok(weight > 20_000 && weight < HEAVIEST, `the page of a game weighs ${weight} bytes`);
  console.log(`pages ${colorScheme}: the page of a game weighs ${weight} bytes`);
}
await running.close();
process.exit(0);
