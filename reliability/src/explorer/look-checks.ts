/// <reference lib="dom" />
import type { Stage } from "./browser.js";
import { type Check, expectSame, expectThat } from "./check.js";

/** What is largest, how numbers stand, and what stands there while something loads. */
export const lookChecks: readonly Check[] = [
  { title: "tells times relative to now, with the instant as their hint", run: times },
  { title: "aligns numbers to the right, and groups their digits", run: numbers },
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
