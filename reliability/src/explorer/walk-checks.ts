/// <reference lib="dom" />
import { axeFindings, type OpenPage, type Stage, takeCensus } from "./browser.js";
import { type Check, expectSame, expectThat, until } from "./check.js";
import { type OpenCommand, openCommand } from "./explore-command.js";
import { gappedCount } from "./gapped-data.js";
import { reasonCount } from "./letter-data.js";

/** What differs between the ways in which `waybill explore` is opened. */
interface Way {
  readonly title: string;
  /** Whether the broker tells how many messages there are. */
  readonly knowsCounts: boolean;
  readonly maySend: boolean;
  open(stage: Stage): Promise<OpenCommand>;
}

const entities = ["orders", "gapped", "reasons", "later", "baskets"];

const ways: readonly Way[] = [
  {
    title: "--data",
    knowsCounts: true,
    maySend: true,
    open: async (stage) =>
      await openCommand(stage, "", ["--data", await stage.ask<string>({ ask: "fill-data-directory" })]),
  },
  {
    title: "a connection whose key may manage",
    knowsCounts: true,
    maySend: true,
    open: async (stage) => await openCommand(stage, await stage.ask<string>({ ask: "serve" }), []),
  },
  {
    title: "a connection whose key may only listen",
    knowsCounts: false,
    maySend: false,
    open: async (stage) =>
      await openCommand(
        stage,
        await stage.ask<string>({ ask: "serve-listen" }),
        entities.flatMap((entity) => ["--entity", entity]),
      ),
  },
];

/** Every view of `waybill explore`, in each way of opening it. It changes nothing. */
export const walkChecks: readonly Check[] = ways.map((way) => ({
  title: `walks through every view, opened with ${way.title}`,
  run: (stage) => walk(stage, way),
}));

async function walk(stage: Stage, way: Way): Promise<void> {
  await using explorer = await way.open(stage);
  const { opened } = explorer;
  for (const step of [
    firstPage,
    endOfList,
    message,
    deadLetters,
    search,
    sending,
    sessions,
    census,
    decode,
  ]) {
    try {
      await step(opened, way);
      expectSame(await axeFindings(opened), [], "what axe finds");
    } catch (error) {
      throw new Error(`${step.name}: ${(error as Error).message}`);
    }
  }
  expectSame(opened.complaints, [], "complaints");
}

async function firstPage({ page }: OpenPage, { knowsCounts }: Way): Promise<void> {
  const row = page.locator("main tbody tr").filter({ hasText: "reasons" });
  await until(
    async () => (await row.textContent())?.includes("249 of the first 249") === true,
    "readable",
    60_000,
  );
  const counts = await row.locator("td").allTextContents();
  const [deadLetters = "", , , active = ""] = counts.map((text) => text.split(" ")[0]?.replaceAll(",", ""));
  // Another check may have sent some of the dead letters again.
  if (knowsCounts) expectSame(Number(active) + Number(deadLetters), reasonCount + 3, "messages");
  else expectSame([active, deadLetters], ["–", "–"], "active messages and dead letters");
  await page.getByLabel("only those with dead letters").check();
  await until(async () => page.url().includes("dead"), "the filter in the address");
}

async function endOfList(opened: OpenPage, { knowsCounts }: Way): Promise<void> {
  const { page } = opened;
  await opened.go("entity", "gapped", "messages");
  const numbers = page.locator('[role="row"]:not(.head) .number');
  await numbers.first().waitFor();
  const rows = await page.getByRole("grid").getAttribute("aria-rowcount");
  expectSame(rows, knowsCounts ? String(gappedCount + 1) : "-1", "the number of rows");
  const newest = await page.evaluate(async () => {
    const answer = await fetch("/api/messages?entity=gapped&newest=true&max=1");
    const { rows: some } = (await answer.json()) as { rows: { sequenceNumber: string }[] };
    return some[0]?.sequenceNumber ?? "";
  });
  const last = page.getByRole("row").filter({ hasText: newest });
  await page.getByRole("grid").focus();
  await until(
    async () => {
      await page.keyboard.press("End");
      return (await last.count()) > 0;
    },
    "the newest message",
    60_000,
  );
  await page.getByLabel("Order").selectOption("newest");
  await until(async () => (await numbers.first().textContent()) === newest, "the newest message first");
  await page.getByLabel("Go to").fill("2001-01-01T00:00:00Z");
  await page.keyboard.press("Enter");
  await until(async () => (await numbers.first().textContent()) !== newest, "the oldest message");
}

async function message(opened: OpenPage): Promise<void> {
  const { page } = opened;
  await opened.go("entity", "orders/$DeadLetterQueue", "messages", "8");
  const details = page.getByRole("article");
  await details.getByText(/^Read by json/).waitFor();
  await details.getByRole("button", { name: "Text", exact: true }).click();
  await details.locator("pre", { hasText: '{"id":7,"lines":[{"sku":"sku-7"}]}' }).waitFor();
  await details.getByRole("button", { name: "JSON", exact: true }).click();
  await details.locator(".leaf", { hasText: "sku-7" }).waitFor();
  await page.getByRole("button", { name: "Copy body", exact: true }).waitFor();
  await page.reload();
  await details.locator(".leaf", { hasText: "sku-7" }).waitFor();
}

async function deadLetters(opened: OpenPage, { maySend }: Way): Promise<void> {
  const { page } = opened;
  await opened.go("entity", "reasons/$DeadLetterQueue", "dead-letters");
  const cards = page.locator(".groups .card");
  await cards
    .first()
    .getByText(/^1,500 different texts/)
    .waitFor();
  await page.getByLabel("Filter dead letters").fill("order 777 of");
  const table = page.getByRole("region", { name: "Dead letters" });
  await until(async () => (await table.locator("tbody tr").count()) === 1, "the one message found");
  await opened.go("entity", "orders/$DeadLetterQueue", "dead-letters");
  await page.getByRole("button", { name: "Repair all …" }).click();
  await page.getByRole("button", { name: "Dry run" }).click();
  if (maySend) await page.getByText("byte-identical").first().waitFor();
  else await page.getByRole("alert").filter({ hasText: "it lacks the Send claim" }).waitFor();
  const repair = page.getByRole("button", { name: /^Repair \d+$/ });
  expectSame(await repair.isDisabled(), !maySend, "whether Repair is disabled");
}

async function search(opened: OpenPage): Promise<void> {
  const { page } = opened;
  const hits = page.locator("tbody th a");
  await opened.go("search");
  await page.getByLabel("Only in").fill("orders/$DeadLetterQueue");
  await page.getByLabel("Text anywhere").fill("aymentServiceD");
  await page.getByLabel("Value at the path").fill("KU-99");
  await page.getByLabel("Path in the body").fill("$.lines[0].sku");
  await page.getByRole("button", { name: "Search", exact: true }).click();
  await page.getByText("1 found in 100 messages.").waitFor();
  await hits.click();
  await page.getByRole("article", { name: "Message 100" }).waitFor();
  await page.goBack();
  await page.getByText("1 found in 100 messages.").waitFor();
  expectSame(await hits.allTextContents(), ["order-99"], "the hit after Back");
  await opened.go("conversation", "question");
  // Another check may have sent one more with the same trace.
  await page.getByText(/^\d messages of [\d,]+ waiting ones\.$/).waitFor();
  await page.getByRole("link", { name: "answer" }).waitFor();
}

async function sending(opened: OpenPage, { maySend }: Way): Promise<void> {
  const { page } = opened;
  await opened.go("entity", "orders", "send");
  const send = page.getByRole("button", { name: "Send", exact: true });
  if (!maySend) await page.getByText("it lacks the Send claim").first().waitFor();
  await until(async () => (await send.isDisabled()) !== maySend, "Send as the key may");
  await page.getByLabel("Body, as JSON").fill('{"id":1}');
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByRole("status").getByText("application/json").first().waitFor();
}

async function sessions(opened: OpenPage): Promise<void> {
  const { page } = opened;
  await opened.go("entity", "baskets", "sessions");
  await page.getByText("customer-7").first().waitFor();
}

async function census(opened: OpenPage): Promise<void> {
  await opened.go("census");
  await takeCensus(opened);
  const chart = opened.page.getByRole("img", { name: "Waiting messages in the namespace, over time" });
  expectThat((await chart.locator("rect").count()) > 0, "no bar in the chart");
}

async function decode(opened: OpenPage): Promise<void> {
  const { page } = opened;
  await opened.go("decode");
  await page.getByLabel("Or Base64").fill(btoa('{"total":12345678901234567890}'));
  await page.getByLabel("Content type").fill("application/json");
  await page.getByRole("button", { name: "Decode" }).click();
  await page.getByText("12345678901234567890").waitFor();
}
