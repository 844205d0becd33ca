/// <reference lib="dom" />
import type { OpenPage, Stage } from "./browser.js";
import { type Check, expectSame, expectThat, until } from "./check.js";

/** What is largest, how numbers stand, and what stands there while something loads. */
export const lookChecks: readonly Check[] = [
  { title: "tells times relative to now, with the instant as their hint", run: times },
  { title: "aligns numbers to the right, and groups their digits", run: numbers },
  {
    title: "keeps the top bar, the tabs and each group of buttons in one row, and the words of a title whole",
    run: rows,
  },
  { title: "says a time once where the first and the last of a group read the same", run: ranges },
  { title: "changes its colours by one button, and keeps them", run: colours },
  { title: "shows the outline of what is loading, and what matters most is largest", run: hierarchy },
];

async function times(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "webhooks", "messages", "2");
  for (const place of [page.getByRole("row"), page.getByRole("article")]) {
    const time = place.locator("time").first();
    // The list beside an open message has no room for it.
    await time.waitFor({ state: "attached" });
    const [text, hint] = [await time.textContent(), await time.getAttribute("title")];
    expectThat(/^(?:now|\d+ (?:sec|min|hr)\. ago)$/.test(text ?? ""), `a time reads ${text}`);
    expectThat(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ$/.test(hint ?? ""), `the hint of a time is ${hint}`);
  }
}

async function numbers(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "gapped", "messages");
  await page.locator(".counts dd", { hasText: "1,000" }).waitFor();
  await opened.go("entity", "baskets", "sessions");
  const cell = page.locator("td.number").first();
  await cell.waitFor();
  const alignments = await page.evaluate(() =>
    [...document.querySelectorAll(".number")].map((each) => getComputedStyle(each).textAlign),
  );
  expectSame([...new Set(alignments)], ["right"], "how numbers and their heads are aligned");
}

/** The queue whose name and toolbar are the longest, and one with a message open beside the list. */
async function rows(stage: Stage): Promise<void> {
  for (const width of [1280, 360]) {
    await using opened = await stage.open({ width });
    const { page } = opened;
    await opened.go("entity", "reasons/$DeadLetterQueue", "dead-letters");
    await page.getByText(/^1,500 different texts/).waitFor();
    await page.evaluate(() => {
      const name = document.querySelector(".namespace");
      if (name !== null) name.textContent = "a-namespace-with-a-long-name.servicebus.windows.net";
    });
    await inOneRow(opened, ".top > :not(.skip)", `the top bar at ${width}`);
    await inOneRow(opened, ".tabs a", `the tabs at ${width}`);
    await inOneRow(opened, ".toolbar .actions > *", `the buttons of the dead letters at ${width}`);
    expectSame(await brokenWords(opened, "h1"), [], `words of the title that are broken at ${width}`);
    await opened.go("entity", "webhooks", "messages", ...(width === 360 ? [] : ["2"]));
    await page.getByRole("row").filter({ hasText: "webhook-" }).first().waitFor();
    await inOneRow(opened, ".list .actions > *", `the buttons of the list at ${width}`);
    // A message beside the list leaves little room for it.
    const lines = await page.locator(".filters").first().evaluate(linesOf);
    expectThat(lines <= (width === 360 ? 4 : 2), `the filters of the list take ${lines} rows at ${width}`);
    await opened.go();
    await page.getByRole("columnheader", { name: "Change" }).waitFor();
    await until(async () => (await page.getByText("249 of the first 249").count()) > 0, "readable");
    const hidden = await page
      .locator("main .table")
      .evaluate((table) => table.scrollWidth - table.clientWidth);
    expectThat(width === 360 || hidden <= 0, `${hidden} pixels of the first page's table are out of sight`);
  }
}

/** Counts the lines that the children of an element stand in. */
function linesOf(element: Element): number {
  return new Set(
    [...element.children].map((child) => {
      const { top, bottom } = child.getBoundingClientRect();
      return Math.round((top + bottom) / 40);
    }),
  ).size;
}

async function inOneRow({ page }: OpenPage, selector: string, what: string): Promise<void> {
  const boxes = await page.locator(selector).evaluateAll((elements) =>
    elements
      .map((element) => element.getBoundingClientRect())
      .filter(({ width }) => width > 1)
      .map(({ top, bottom, right }) => ({ top, bottom, right })),
  );
  expectThat(boxes.length > 1, `${what}: nothing to see`);
  const isOneRow = Math.max(...boxes.map(({ top }) => top)) < Math.min(...boxes.map(({ bottom }) => bottom));
  expectThat(isOneRow, `${what}: more than one row`);
  const width = page.viewportSize()?.width ?? 0;
  expectThat(Math.max(...boxes.map(({ right }) => right)) <= width, `${what}: wider than the window`);
}

/** The parts of a path, each with its slash, that stand in more than one line. */
async function brokenWords({ page }: OpenPage, selector: string): Promise<string[]> {
  return await page.locator(selector).evaluate((element) => {
    const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    const broken: string[] = [];
    while (texts.nextNode() !== null) {
      const range = document.createRange();
      range.selectNodeContents(texts.currentNode);
      if (range.getClientRects().length > 1) broken.push(texts.currentNode.textContent ?? "");
    }
    return broken;
  });
}

async function ranges(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "deliveries/$DeadLetterQueue", "dead-letters");
  const cards = page.locator(".groups .card");
  await cards.first().waitFor();
  const texts = await cards.allTextContents();
  const twice = texts.filter((text) => /(\d+ [a-z]+\. ago) to \1/.test(text));
  expectSame(twice, [], "times that are said twice");
  expectThat((await cards.first().locator("time").count()) > 0, "no time in a group");
}

async function colours(stage: Stage): Promise<void> {
  await using opened = await stage.open({ colorScheme: "light" });
  const { page } = opened;
  const back = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  const light = await back();
  await page.getByRole("button", { name: "Colours: system. Change to light" }).click();
  expectSame(await back(), light, "the background when it is light");
  await page.getByRole("button", { name: "Colours: light. Change to dark" }).click();
  await until(async () => (await back()) !== light, "another background when it is dark");
  const dark = await back();
  await page.reload();
  await page.getByRole("button", { name: "Colours: dark. Change to system" }).waitFor();
  expectSame(await back(), dark, "the background when it was loaded again");
}

async function hierarchy(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route("**/api/message?**", async (route) => {
    await released;
    await route.continue();
  });
  await opened.go("entity", "webhooks", "messages", "2");
  const article = page.getByRole("article", { name: "Message 2" });
  await article.locator(".skeleton .bone").first().waitFor();
  release();
  await article
    .getByText(/Read by|after \d/)
    .first()
    .waitFor();
  expectSame(await article.locator(".skeleton").count(), 0, "outlines after it was loaded");
  const sizes = await page.evaluate(() =>
    ["h1", ".details h2", ".summary strong", ".details .quiet"].map((selector) => {
      const element = document.querySelector(selector);
      return element === null ? 0 : Number.parseFloat(getComputedStyle(element).fontSize);
    }),
  );
  expectSame(
    sizes,
    sizes.toSorted((one, two) => two - one),
    "sizes from the title down",
  );
}
