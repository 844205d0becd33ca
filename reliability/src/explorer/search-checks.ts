import type { OpenPage, Stage } from "./browser.js";
import { type Check, expectSame, expectThat, until } from "./check.js";
import { openCommand } from "./explore-command.js";
import { searchedCount } from "./search-data.js";

/** The search of the page, in a queue that takes a while. */
export const searchChecks: readonly Check[] = [
  { title: "stops a search, says what it did, and finds the same at once the second time", run: stopping },
  {
    title: "keeps the hits of a search when Back returns to it, and opens a search by its address",
    run: returning,
  },
  { title: "searches parts of words and regular expressions", run: words },
  { title: "stops a conversation, says what it did, and shows what it found", run: stoppingConversation },
  { title: "ends a search whose regular expression backtracks without end, and goes on", run: backtracking },
];

async function stopping(stage: Stage): Promise<void> {
  await stage.ask({ ask: "fill-searched" });
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("search");
  await page.getByLabel("Only in").fill("searched");
  await page.getByLabel("Text anywhere").fill(`SEARCHED-${searchedCount - 1}`);
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByRole("progressbar", { name: "Messages searched" }).waitFor();
  await page.getByText(/^0 found in [1-9][\d,]* messages/).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page
    .getByText(/^Stopped: 0 found in [\d,]+ messages of 60,000\. The others were not searched\./)
    .waitFor();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByText("1 found in 60,000 messages.").waitFor();
  const startedAt = Date.now();
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByText(/59,999 messages remembered/).waitFor();
  console.log(`     the second search took ${Date.now() - startedAt} ms`);
}

async function returning(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await search(opened, { text: "/^order-4[23]$/", entity: "orders/$DeadLetterQueue" });
  await expectHits(opened, ["order-42", "order-43"]);
  await page.getByRole("link", { name: "order-42" }).click();
  await page.getByRole("article", { name: "Message 43" }).waitFor();
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().includes("/api/search?")) asked++;
  });
  await page.goBack();
  await expectHits(opened, ["order-42", "order-43"]);
  expectSame(asked, 0, "searches after Back");
  expectThat(page.url().includes("#/search?text="), "the search is not in the address");
  expectSame(await page.getByLabel("Text anywhere").inputValue(), "/^order-4[23]$/", "the form after Back");
  // The address alone is enough, in another page.
  await page.reload();
  await expectHits(opened, ["order-42", "order-43"]);
}

async function words(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const dead = "orders/$DeadLetterQueue";
  await search(opened, { reason: "paymentserv", path: "$.id", value: "7", entity: dead });
  await expectHits(opened, ["order-7"]);
  await search(opened, { text: "aymentServiceD", path: "$.lines[0].sku", value: "KU-99", entity: dead });
  await expectHits(opened, ["order-99"]);
  await search(opened, { text: "/(/" });
  await opened.page.getByRole("alert").filter({ hasText: "/(/ is not a regular expression." }).waitFor();
}

/** In an explorer of its own: that of the other checks may remember these messages. */
async function stoppingConversation(stage: Stage): Promise<void> {
  await stage.ask({ ask: "fill-searched" });
  const connectionString = await stage.ask<string>({ ask: "serve" });
  await using explorer = await openCommand(stage, connectionString, ["--entity", "searched"]);
  const { opened } = explorer;
  const { page } = opened;
  await opened.go("conversation", "searched-5");
  await page.getByRole("progressbar", { name: "Messages searched" }).waitFor();
  await page.getByText(/^1 message found in [1-9][\d,]* waiting ones …$/).waitFor();
  await page.getByRole("button", { name: "Stop" }).click();
  await page
    .getByText(/^Stopped: 1 message found in [\d,]+ waiting ones\. The others were not searched\.$/)
    .waitFor();
  await page.getByRole("link", { name: "searched-5", exact: true }).waitFor();
  expectSame(await page.getByRole("progressbar").count(), 0, "progress of a search that was stopped");
  await page.getByRole("button", { name: "Follow" }).click();
  await page.getByText(/^1 message found in [1-9][\d,]* waiting ones …$/).waitFor();
}

async function backtracking(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  // A body of millions of x.
  await search(opened, { text: "/(x+x+)+y/", entity: "hostile" });
  const text = "The search was stopped: /(x+x+)+y/ takes too long for what is in the messages.";
  await page.getByRole("alert").filter({ hasText: text }).waitFor();
  await page.getByText("0 found in 0 messages before it failed.").waitFor();
  await search(opened, { text: "/^order-42$/", entity: "orders/$DeadLetterQueue" });
  await expectHits(opened, ["order-42"]);
  expectSame(await page.getByRole("alert").count(), 0, "alerts after another search");
}

const labels = {
  text: "Text anywhere",
  path: "Path in the body",
  value: "Value at the path",
  reason: "Reason",
  entity: "Only in",
} as const;

async function search(
  opened: OpenPage,
  criteria: Partial<Record<keyof typeof labels, string>>,
): Promise<void> {
  const { page } = opened;
  await opened.go("search");
  for (const [name, label] of Object.entries(labels))
    await page.getByLabel(label).fill(criteria[name as keyof typeof labels] ?? "");
  await page.getByRole("button", { name: "Search", exact: true }).click();
}

async function expectHits({ page }: OpenPage, ids: readonly string[]): Promise<void> {
  const found = async () => JSON.stringify(await page.locator("tbody th a").allTextContents());
  await until(async () => (await found()) === JSON.stringify(ids), `hits: ${ids}`);
}
