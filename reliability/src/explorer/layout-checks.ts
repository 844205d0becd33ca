/// <reference lib="dom" />
import type { OpenPage, Stage } from "./browser.js";
import { type Check, expectSame, expectThat, until } from "./check.js";

/** Keyboard and layout of the page, wide and at 360 pixels. */
export const layoutChecks: readonly Check[] = [
  { title: "reaches the content with a few stops of Tab, and every entity with the arrow keys", run: stops },
  {
    title: "gives the focus back after a message, the drawer and the repair are closed with Escape",
    run: closing,
  },
  { title: "keeps the sidebar in a drawer at 360 pixels, and begins a message above the fold", run: drawer },
  { title: "scrolls the sidebar to the entity that is shown", run: current },
  { title: "shows no white while it scrolls to the end, and leaves no blank below the list", run: noWhite },
  { title: "breaks no word in the head of a table, and names no two controls alike", run: wordsAndNames },
];

async function stops(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "webhooks", "messages");
  await page.getByRole("grid").waitFor();
  let stop = 0;
  for (; stop < 20; stop++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(() => document.activeElement?.closest("#content") !== null)) break;
  }
  console.log(`     ${stop} stops before the content`);
  expectThat(stop <= 12, `${stop} stops of Tab before the content`);
  await page
    .getByRole("navigation", { name: "Entities and pages" })
    .getByRole("link", { name: /^webhooks/ })
    .focus();
  const before = await focusedText(opened);
  await page.keyboard.press("ArrowDown");
  expectThat((await focusedText(opened)) !== before, "the arrow key did not move");
  await page.keyboard.press("ArrowUp");
  expectSame(await focusedText(opened), before, "the focus after down and up");
}

async function closing(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "webhooks", "messages");
  const grid = page.getByRole("grid");
  await firstRow(opened).waitFor();
  await grid.focus();
  await page.keyboard.press("Enter");
  await page.getByRole("article").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("article").waitFor({ state: "detached" });
  await until(async () => (await focusedRole(opened)) === "grid", "the focus to go back to the list");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Close the message" }).click();
  await until(async () => (await focusedRole(opened)) === "grid", "the focus to go back to the list");
  await opened.go("entity", "orders/$DeadLetterQueue", "dead-letters");
  await page.getByRole("button", { name: "Repair all …" }).click();
  await page.getByRole("button", { name: "Dry run" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await until(
    async () => (await focusedText(opened)) === "Repair all …",
    "the focus to go back to the button",
  );
}

async function drawer(stage: Stage): Promise<void> {
  await using opened = await stage.open({ width: 360, height: 640 });
  const { page } = opened;
  const sidebar = page.getByRole("navigation", { name: "Entities and pages" });
  expectSame(await sidebar.isVisible(), false, "whether the drawer is open at first");
  const button = page.getByRole("button", { name: "Entities and pages" });
  await button.click();
  await sidebar.getByRole("link", { name: /^webhooks/ }).waitFor();
  await page.keyboard.press("Escape");
  await sidebar.waitFor({ state: "hidden" });
  await until(
    async () => (await page.evaluate(() => document.activeElement?.id)) === "drawer-button",
    "the focus",
  );
  await button.click();
  await sidebar.getByRole("link", { name: /^webhooks/ }).click();
  await sidebar.waitFor({ state: "hidden" });
  await firstRow(opened).click();
  const value = page
    .getByRole("article")
    .getByText(/Read by|after \d/)
    .first();
  await value.waitFor();
  const top = (await value.boundingBox())?.y ?? 0;
  expectThat(top > 0 && top < 640, `what the message says begins at ${top} of 640 pixels`);
}

async function current(stage: Stage): Promise<void> {
  await using opened = await stage.open({ height: 400 });
  const { page } = opened;
  const sidebar = page.getByRole("navigation", { name: "Entities and pages" });
  const isInView = (name: string) =>
    sidebar
      .locator("a .entity-name", { hasText: name })
      .first()
      .evaluate((link) => {
        const { top, bottom } = link.getBoundingClientRect();
        const box = link.closest("nav")?.getBoundingClientRect();
        return box !== undefined && top >= box.top && bottom <= box.bottom;
      });
  await sidebar.getByRole("link", { name: /^reasons/ }).waitFor();
  expectSame(await isInView("reasons"), false, "whether one of the last entities is in view at first");
  for (const name of ["reasons", "webhooks"]) {
    await opened.go("entity", name, "messages");
    await until(async () => await isInView(name), `${name} to be in view`);
  }
}

async function noWhite(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "webhooks", "messages");
  await firstRow(opened).waitFor();
  await page.getByRole("grid").focus();
  for (const key of ["End", "Home", "PageDown", "End"]) {
    await page.keyboard.press(key);
    const rows = await page.evaluate(
      () =>
        new Promise<number>((resolve) =>
          requestAnimationFrame(() => {
            const box = document.querySelector('[role="grid"]')?.getBoundingClientRect() ?? new DOMRect();
            const all = [...document.querySelectorAll('[role="grid"] [role="row"]:not(.head)')];
            resolve(
              all.filter(
                (row) =>
                  row.getBoundingClientRect().bottom > box.top + 40 &&
                  row.getBoundingClientRect().top < box.bottom,
              ).length,
            );
          }),
        ),
    );
    expectThat(rows > 10, `after ${key} only ${rows} rows are in view`);
  }
  const blank = await page.evaluate(() => {
    const content = document.getElementById("content");
    return content === null ? -1 : content.scrollHeight - content.clientHeight;
  });
  expectThat(blank <= 1, `the content scrolls ${blank} pixels beyond the list`);
}

async function wordsAndNames(stage: Stage): Promise<void> {
  for (const width of [1280, 360]) {
    await using opened = await stage.open({ width });
    const { page } = opened;
    await opened.go("entity", "hostile", "messages", "7");
    await page.getByText("Tried", { exact: true }).waitFor();
    const broken = await page.evaluate(() =>
      [...document.querySelectorAll("thead th")].flatMap((cell) => {
        const range = document.createRange();
        range.selectNodeContents(cell);
        return range.getClientRects().length > 1 ? [cell.textContent] : [];
      }),
    );
    expectSame(broken, [], `headings of more than one line at ${width}`);
    await opened.go("entity", "deliveries/$DeadLetterQueue", "dead-letters");
    await page.getByText("readable now").first().waitFor();
    const names = await page.locator("main").getByRole("link", { name: "Messages", exact: true }).count();
    expectSame(names, 1, 'controls named "Messages"');
  }
}

function firstRow({ page }: OpenPage) {
  return page.getByRole("row").filter({ hasText: "webhook-" }).first();
}

async function focusedText({ page }: OpenPage): Promise<string> {
  return await page.evaluate(() => document.activeElement?.textContent ?? "");
}

async function focusedRole({ page }: OpenPage): Promise<string | null> {
  return await page.evaluate(() => document.activeElement?.getAttribute("role") ?? null);
}
