/// <reference lib="dom" />
import type { Request } from "playwright-core";
import type { OpenPage, Stage } from "./browser.js";
import { type Check, expectSame, expectThat, until } from "./check.js";
import { openCommand } from "./explore-command.js";
import { million, queueCount } from "./load-data.js";
import { largeCount } from "./search-data.js";

/** Maximum time from a key press to the page's response, in milliseconds. */
const maxInputDelayMs = 100;

/** Maximum times of a search of many messages over AMQP, and of the same search once more, in milliseconds. */
const maxSearchMs = 20_000;
const maxSecondSearchMs = 1_000;

/** The page under load. */
export const loadChecks: readonly Check[] = [
  { title: "answers keys within 100 ms while 2,000 messages arrive each second", run: busy },
  {
    title: "scrolls through 1,000,000 messages with a few rows and pages in memory",
    run: longList,
  },
  {
    title: `peeks only into what is in view of ${queueCount} queues over AMQP, and into all when it is asked to`,
    run: manyQueues,
  },
  {
    title: `searches ${largeCount} messages over AMQP in 20 seconds, and once more in one`,
    run: largeSearch,
  },
];

async function busy(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  const seconds = 12;
  await stage.ask({ ask: "flood", perSecond: 2_000, seconds });
  await page.getByRole("link", { name: "busy", exact: true }).waitFor();
  await opened.go("entity", "busy", "messages");
  await page.getByRole("grid").focus();
  await page.evaluate(() => {
    const delays: number[] = [];
    addEventListener("keydown", (event) => delays.push(performance.now() - event.timeStamp), {
      capture: true,
    });
    Object.assign(globalThis, { delays });
  });
  const before = await rowCount(opened);
  const end = Date.now() + (seconds - 4) * 1_000;
  for (let key = 0; Date.now() < end; key++) {
    await page.keyboard.press(["End", "PageUp", "ArrowDown", "Home", "PageDown"][key % 5] ?? "End");
    await page.waitForTimeout(40);
  }
  const delays = await page.evaluate(() => (globalThis as unknown as { delays: number[] }).delays);
  const arrived = (await rowCount(opened)) - before;
  const longest = Math.max(...delays);
  console.log(
    `     ${delays.length} keys, the longest waited ${longest.toFixed(1)} ms; ${arrived} messages arrived meanwhile`,
  );
  expectThat(delays.length > 50, "too few keys");
  expectThat(arrived > 1_000 * (seconds - 4), `only ${arrived} messages arrived`);
  expectThat(longest < maxInputDelayMs, `a key waited ${longest} ms`);
}

async function longList(stage: Stage): Promise<void> {
  const startedAt = Date.now();
  await stage.ask({ ask: "fill-million" });
  console.log(`     ${million} messages sent in ${Math.round((Date.now() - startedAt) / 1000)} s`);
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "million", "messages");
  await until(async () => (await rowCount(opened)) === million, "a million rows");
  const grid = page.getByRole("grid");
  await grid.focus();
  await hasRow(opened, "n-0");
  await page.keyboard.press("End");
  await hasRow(opened, `n-${million - 1}`);
  await page.keyboard.press("Home");
  await hasRow(opened, "n-0");
  await grid.evaluate((box) => box.scrollTo(0, box.scrollHeight / 2));
  await until(async () => Math.abs((await firstShown(opened)) - million / 2) < 200, "the middle");
  // On from there by wheel, where every row follows the one before.
  for (let turn = 0; turn < 30; turn++) await grid.evaluate((box) => box.scrollBy(0, 400));
  await until(async () => (await shown(opened)).length > 10, "rows after scrolling");
  const numbers = await shown(opened);
  expectThat(
    numbers.every((number, index) => index === 0 || number === (numbers[index - 1] ?? 0) + 1),
    `not in a row: ${numbers}`,
  );
  const { rows, heap } = await page.evaluate(() => ({
    rows: document.querySelectorAll('[role="row"]').length,
    heap: (performance as unknown as { memory: { usedJSHeapSize: number } }).memory.usedJSHeapSize,
  }));
  console.log(`     ${rows} rows in the page, ${Math.round(heap / 2 ** 20)} MiB of memory`);
  expectThat(rows < 80 && heap < 64 * 2 ** 20, `${rows} rows, ${heap} bytes`);
}

async function manyQueues(stage: Stage): Promise<void> {
  const connectionString = await stage.ask<string>({ ask: "serve-thousand" });
  await using explorer = await openCommand(stage, connectionString, []);
  const { opened } = explorer;
  const { page } = opened;
  const asked: string[] = [];
  const count = (request: Request) => {
    if (!request.url().endsWith("/api/health")) return;
    const { entities } = request.postDataJSON() as { entities: { path: string }[] };
    asked.push(...entities.map(({ path }) => path));
  };
  page.on("request", count);
  await page.reload();
  const startedAt = Date.now();
  const known = page.locator("main tbody td").filter({ hasText: "2 of 2" });
  await known.first().waitFor();
  const firstMs = Date.now() - startedAt;
  const inView = await rowsInView(opened);
  await until(async () => (await known.count()) >= inView, "all rows in view");
  console.log(
    `     ${inView} rows in view, the first known after ${firstMs} ms, all after ${Date.now() - startedAt} ms`,
  );
  expectThat(
    new Set(asked).size <= inView + 5,
    `${new Set(asked).size} queues were peeked for ${inView} rows`,
  );
  await page.locator("main tbody tr").nth(150).scrollIntoViewIfNeeded();
  await until(
    async () => asked.includes("queue-0150") || (await known.count()) > inView,
    "rows after scrolling",
  );
  const allStartedAt = Date.now();
  await page.getByRole("button", { name: "Look into all" }).click();
  await until(
    async () => (await page.getByRole("button", { name: "Look into all" }).count()) === 0,
    "all queues to be known",
    180_000,
  );
  console.log(`     all ${queueCount} known after ${Date.now() - allStartedAt} ms`);
  expectSame(new Set(asked).size, queueCount, "queues that were peeked");
  for (const more = page.getByRole("button", { name: /^Show \d+ more$/ }); (await more.count()) > 0; )
    await more.click();
  expectSame(await known.count(), queueCount, "queues that are known");
  expectSame(await page.getByRole("alert").count(), 0, "what the page complains of");
  expectSame(await explorer.interrupt(), [], "what the command wrote to stderr");
}

async function largeSearch(stage: Stage): Promise<void> {
  await stage.ask({ ask: "fill-large" });
  const connectionString = await stage.ask<string>({ ask: "serve" });
  await using explorer = await openCommand(stage, connectionString, []);
  const { opened } = explorer;
  const { page } = opened;
  await opened.go("search");
  await page.getByLabel("Only in").fill("large");
  await page.getByLabel("Text anywhere").fill(`ARGE-${largeCount - 1}`);
  const count = largeCount.toLocaleString("en");
  const found = page.getByText(`1 found in ${count} messages.`);
  const search = async () => {
    const startedAt = Date.now();
    await page.getByRole("button", { name: "Search", exact: true }).click();
    await found.waitFor({ state: "detached" });
    await found.waitFor({ timeout: 120_000 });
    return Date.now() - startedAt;
  };
  const [firstMs, secondMs] = [await search(), await search()];
  console.log(`     the first search took ${firstMs} ms, the second ${secondMs} ms`);
  expectThat(firstMs <= maxSearchMs, `the first search took ${firstMs} ms`);
  expectThat(secondMs <= maxSecondSearchMs, `the second search took ${secondMs} ms`);
}

async function rowsInView({ page }: OpenPage): Promise<number> {
  return await page.evaluate(
    () =>
      [...document.querySelectorAll("main tbody tr")].filter(
        (row) => row.getBoundingClientRect().top < innerHeight && row.getBoundingClientRect().bottom > 0,
      ).length,
  );
}

async function hasRow({ page }: OpenPage, id: string): Promise<void> {
  await page
    .getByRole("row")
    .filter({ hasText: new RegExp(`\\b${id}(?!\\d)`) })
    .waitFor();
}

async function firstShown(opened: OpenPage): Promise<number> {
  return (await shown(opened))[0] ?? Number.NaN;
}

/** The numbers of the messages that are known. */
async function shown({ page }: OpenPage): Promise<number[]> {
  const texts = await page.locator('[role="row"] small').allTextContents();
  return texts.flatMap((text) => (/^n-\d+$/.test(text) ? [Number(text.slice(2))] : []));
}

async function rowCount({ page }: OpenPage): Promise<number> {
  return Number(await page.getByRole("grid").getAttribute("aria-rowcount")) - 1;
}
