/// <reference lib="dom" />
import type { OpenPage, Stage } from "./browser.js";
import { type Check, expectSame, until } from "./check.js";
import { gappedCount } from "./gapped-data.js";

/** The list of messages, in a partitioned queue whose sequence numbers have gaps. */
export const listChecks: readonly Check[] = [
  { title: "reaches the newest message of a list with gaps, from both ends", run: bothEnds },
  { title: "goes to a number, and opens the list at the message of its address", run: jumping },
  { title: "goes to the first message of a time", run: goingToTime },
  { title: "skips to the content of the list without leaving it", run: skipping },
  { title: "keeps the list at its newest message, and drops rows whose messages left", run: following },
];

async function bothEnds(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  const numbers = await stage.ask<string[]>({ ask: "numbers", queue: "gapped" });
  await opened.go("entity", "gapped", "messages");
  await until(async () => (await shown(opened))[0] === numbers[0], "the oldest message first");
  await page.getByRole("grid").focus();
  await page.keyboard.press("End");
  await until(async () => (await shown(opened)).at(-1) === numbers.at(-1), "the newest message last");
  // Up from the end, every row precedes the one after it.
  await page.keyboard.press("PageUp");
  await page.keyboard.press("PageUp");
  await until(async () => (await shown(opened)).length > 5, "rows before the end");
  expectRun(await shown(opened), numbers);
  await page.getByLabel("Order").selectOption("newest");
  const reversed = numbers.toReversed();
  await until(async () => (await shown(opened))[0] === reversed[0], "the newest message first");
  await page.getByRole("grid").focus();
  await page.keyboard.press("End");
  await until(async () => (await shown(opened)).at(-1) === reversed.at(-1), "the oldest message last");
  expectRun(await shown(opened), reversed);
  expectSame(page.url().includes("order=newest"), true, "the order in the address");
}

async function jumping(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  const numbers = await stage.ask<string[]>({ ask: "numbers", queue: "gapped" });
  const wanted = numbers[Math.floor(gappedCount / 2)] ?? "";
  await opened.go("entity", "gapped", "messages");
  await page.getByLabel("Go to").fill(wanted);
  await page.keyboard.press("Enter");
  await until(async () => (await shown(opened)).includes(wanted), "the number that was asked for");
  expectRun(await shown(opened), numbers);
  const linked = numbers.at(-300) ?? "";
  await opened.go("entity", "gapped", "messages", linked);
  await until(async () => (await shown(opened)).includes(linked), "the message of the address");
  await page.getByRole("article", { name: `Message ${linked}` }).waitFor();
}

async function goingToTime(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  const numbers = await stage.ask<string[]>({ ask: "numbers", queue: "gapped" });
  await opened.go("entity", "gapped", "messages");
  await until(async () => (await shown(opened))[0] === numbers[0], "the oldest message first");
  const times = await enqueuedTimes(opened);
  const byTime = numbers.toSorted((one, two) => (times.get(one) ?? "").localeCompare(times.get(two) ?? ""));
  // In the first and in another partition: their numbers say nothing about each other.
  const [first, other] = [true, false].map((isFirst) =>
    byTime
      .slice(gappedCount / 3)
      .find((number) => (partitionOf(number) === partitionOf(numbers[0] ?? "")) === isFirst),
  );
  for (const wanted of [first, other, first]) {
    await page.getByLabel("Go to").fill(times.get(wanted ?? "") ?? "");
    await page.keyboard.press("Enter");
    await until(
      async () => (await shown(opened)).includes(wanted ?? ""),
      `the message of ${times.get(wanted ?? "")}`,
    );
    expectRun(await shown(opened), numbers);
  }
  await page.getByLabel("Go to").fill("2201-01-01T00:00:00Z");
  await page.keyboard.press("Enter");
  await page.getByText("All messages are older.").waitFor();
  await page.getByLabel("Go to").fill("tomorrow");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").filter({ hasText: "an instant such as" }).waitFor();
}

/** The upper 16 bits of a sequence number. */
function partitionOf(number: string): bigint {
  return BigInt(number) >> 48n;
}

/** When each message of the queue with gaps was enqueued. */
async function enqueuedTimes({ page }: OpenPage): Promise<Map<string, string>> {
  const rows = await page.evaluate(async () => {
    interface Page {
      readonly rows: readonly { readonly sequenceNumber: string; readonly enqueuedAt: string }[];
      readonly next?: string;
    }
    const all: [number: string, enqueuedAt: string][] = [];
    for (let from: string | undefined = "0"; from !== undefined; ) {
      const answer = await fetch(`/api/messages?entity=gapped&max=250&from=${from}`);
      const { rows: some, next } = (await answer.json()) as Page;
      for (const { sequenceNumber, enqueuedAt } of some) all.push([sequenceNumber, enqueuedAt]);
      from = next;
    }
    return all;
  });
  return new Map(rows);
}

async function following(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "followed", "messages");
  await page.getByText("No messages here.").waitFor();
  await page.getByRole("checkbox", { name: "Follow" }).check();
  await stage.ask({ ask: "send-followed", count: 150 });
  await until(async () => (await shown(opened)).at(-1) === "150", "the newest message in view");
  await stage.ask({ ask: "take-followed", count: 149 });
  await until(async () => JSON.stringify(await shown(opened)) === '["150"]', "only the message that is left");
}

async function skipping(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "gapped", "messages");
  await page.getByRole("grid").waitFor();
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");
  expectSame(await page.evaluate(() => document.activeElement?.id), "content", "what has the focus");
  await page.getByRole("grid").waitFor();
}

/** The sequence numbers of the rows that are shown. */
async function shown({ page }: OpenPage): Promise<string[]> {
  return await page.locator('[role="row"]:not(.head) .number').allTextContents();
}

function expectRun(rows: readonly string[], all: readonly string[]): void {
  const start = all.indexOf(rows[0] ?? "");
  expectSame(rows, all.slice(start, start + rows.length), "rows that follow each other");
}
