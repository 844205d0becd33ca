import { axeFindings, type OpenPage, type Stage } from "./browser.js";
import { type Check, expectSame, expectThat, until } from "./check.js";
import { openCommand } from "./explore-command.js";
import { reasonCount } from "./letter-data.js";

/** The first page, and the table of dead letters. */
export const letterChecks: readonly Check[] = [
  {
    title: "shows on the first page where the dead letters are, sorted, filtered and in groups",
    run: overview,
  },
  {
    title: "shows on the first page – for counts that a key may not read, and the dead letters it can peek",
    run: overviewOfListener,
  },
  {
    title: `collapses ${reasonCount} texts of one reason, and leads to all of their messages in one table`,
    run: collapsed,
  },
  {
    title:
      "keeps the selection of dead letters, an opened repair and the filter of the sidebar in the address",
    run: addressed,
  },
  {
    title: "shows how many messages come and go in a minute, also in a queue that is emptied at once",
    run: rates,
  },
  { title: "shows what comes over AMQP by the numbers of the newest messages", run: ratesOverAmqp },
  { title: "shows whose circuit breakers are open, and – where no reader announces them", run: breakers },
  { title: "repairs a selection of dead letters, after a dry run", run: selection },
];

async function overview(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  const first = page.locator("main tbody tr").first();
  await first.getByRole("link", { name: "reasons", exact: true }).waitFor();
  await until(async () => (await first.textContent())?.includes("249 of the first 249") === true, "readable");
  expectSame(
    await page.getByRole("columnheader", { name: "Dead letters" }).getAttribute("aria-sort"),
    "descending",
    "what the table is sorted by",
  );
  await page.getByRole("img", { name: "Dead letters, last hour" }).waitFor();
  const all = await rowCount(opened);
  await page.getByRole("button", { name: "Entity" }).click();
  await until(async () => {
    const names = await page.locator("main tbody th").allTextContents();
    return names[0] === names.toSorted()[0];
  }, "the entities by name");
  await page.getByLabel("only those with dead letters").check();
  await until(async () => (await rowCount(opened)) < all, "fewer rows");
  await page.getByLabel("only those with dead letters").uncheck();
  await page.getByLabel("in groups, by topic or prefix").check();
  await page.getByRole("link", { name: "invoiced …" }).click();
  await page.getByRole("link", { name: "invoiced/Subscriptions/billing", exact: true }).first().waitFor();
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [1280, 360]) {
      await using again = await stage.open({ colorScheme, width });
      await again.page.locator("main tbody tr").first().waitFor();
      expectSame(await axeFindings(again), [], `axe on the first page, ${colorScheme}, ${width}`);
    }
}

async function overviewOfListener(stage: Stage): Promise<void> {
  const connectionString = await stage.ask<string>({ ask: "serve-listen" });
  await using explorer = await openCommand(stage, connectionString, ["--entity", "reasons"]);
  const row = explorer.opened.page.locator("main tbody tr").first();
  await until(async () => (await row.textContent())?.includes("249 of the first 249") === true, "readable");
  expectSame(
    [await row.locator("td").nth(0).textContent(), await row.locator("td").nth(3).textContent()],
    ["–", "–"],
    "counts that are not known",
  );
}

async function collapsed(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "reasons/$DeadLetterQueue", "dead-letters");
  const cards = page.locator(".groups .card");
  await cards
    .first()
    .getByText(/^1,500 different texts/)
    .waitFor();
  expectSame(await cards.count(), 2, "cards");
  const table = page.getByRole("region", { name: "Dead letters" });
  await until(async () => (await table.locator("tbody tr").count()) === 200, "the first rows");
  await table.locator("tbody tr").first().getByText("reason-1502").waitFor();
  await cards.nth(1).getByRole("button", { name: "Show all 3" }).click();
  await until(async () => (await table.locator("tbody tr").count()) === 3, "the messages of the group");
  expectSame(await axeFindings(opened), [], "axe on the dead letters");
  await page.getByRole("button", { name: "Only one group: show all" }).click();
  await page.getByLabel("Filter dead letters").fill("order 777 of");
  await until(async () => (await table.locator("tbody tr").count()) === 1, "the one message found");
}

async function addressed(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "reasons/$DeadLetterQueue", "dead-letters");
  await page.getByLabel("Filter entities").fill("reas");
  await page.getByRole("button", { name: "Repair …" }).first().click();
  await page.getByRole("heading", { name: "Repair 1,500 selected dead letters" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Repair 1,500 selected dead letters" }).waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await page.getByLabel("Filter dead letters").fill("CustomerUnknown");
  await page.getByLabel("all 3 found").check();
  await page.getByRole("button", { name: "Repair 3 selected …" }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Repair 3 selected …" }).waitFor();
  expectSame(await page.getByLabel("Filter entities").inputValue(), "reas", "the filter after a reload");
  await page.getByLabel("Filter dead letters").fill("Order");
  await page.getByLabel("all 1,500 found").check();
  await page.getByLabel("Filter dead letters").fill("");
  // Every second one: a run of numbers is short, whatever its length.
  for (const number of [1490, 1480]) await page.getByLabel(`Select ${number}`, { exact: true }).uncheck();
  const address = page.url();
  expectThat(address.length < 400, `the address of 1,500 selected has ${address.length} characters`);
  await page.reload();
  await page.getByRole("button", { name: "Repair 1,501 selected …" }).waitFor();
  await page.getByRole("link", { name: "Census" }).click();
  await page.getByRole("heading", { name: "Census" }).waitFor();
  expectSame(await page.getByLabel("Filter entities").inputValue(), "reas", "the filter on another view");
  await until(async () => page.url().includes("entities=reas"), "the filter in the address of another view");
  await page.getByLabel("Filter entities").fill("");
  await until(async () => !page.url().includes("entities="), "no filter in the address");
  await page.goBack();
  await page.getByRole("button", { name: "Repair 1,501 selected …" }).waitFor();
  await tooLong(opened);
}

/** A selection that is too long for the address stays in the page, and is not taken for an empty one when it is lost. */
async function tooLong(opened: OpenPage): Promise<void> {
  const { page } = opened;
  const path = "reasons/$DeadLetterQueue";
  const almost = Array.from({ length: 1_999 }, () => "fff").join(".");
  await page.evaluate(
    (hash) => {
      location.hash = hash;
    },
    `#/entity/${encodeURIComponent(path)}/dead-letters?selected=${almost}`,
  );
  await page.getByText("1,999 of the selected are no longer here.").waitFor();
  await page.getByLabel("Select 1490", { exact: true }).check();
  await page.getByLabel("Select 1480", { exact: true }).check();
  await page.getByText(/so many are selected that the address does not hold them/i).waitFor();
  await page.getByRole("button", { name: "Repair 2 selected …" }).waitFor();
  await opened.go("entity", path, "messages");
  await page.getByRole("grid").waitFor();
  await page.goBack();
  await page.getByRole("button", { name: "Repair 2 selected …" }).waitFor();
  await page.reload();
  await page.getByText("The selection is lost: it was too long for the address. Select again.").waitFor();
  expectSame(await axeFindings(opened), [], "axe on a lost selection");
}

async function selection(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "reasons/$DeadLetterQueue", "dead-letters");
  await page.getByLabel("Filter dead letters").fill("CustomerUnknown");
  await page.getByLabel("all 3 found").check();
  await page.getByRole("button", { name: "Repair 3 selected …" }).click();
  await page.getByLabel(/^Leave those sent again/).fill("1");
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByText("byte-identical").first().waitFor();
  await page.getByRole("button", { name: "Repair 3", exact: true }).click();
  await page.getByText("done", { exact: true }).waitFor();
  const ids = await stage.ask<string[]>({ ask: "ids", queue: "reasons" });
  expectSame(
    ids.sort(),
    [0, 1, 2].map((more) => `reason-${reasonCount + more}`),
    "what was sent",
  );
}

async function rates(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  // The page has taken its first sample by then; the next one is ten seconds later.
  await opened.page.locator("main tbody tr").first().waitFor();
  await stage.ask({ ask: "pass-through", count: 60 });
  const cells = await cellsOf(opened, "passed", (texts) => texts[0] !== "–");
  expectThat(Number(cells[0]?.replaceAll(",", "")) > 0, `what comes in: ${cells}`);
  expectSame(cells[1], cells[0], "what goes out");
  expectSame(cells[2], "0", "the change");
}

async function ratesOverAmqp(stage: Stage): Promise<void> {
  await stage.ask({ ask: "send-followed", count: 1 });
  const connectionString = await stage.ask<string>({ ask: "serve" });
  await using explorer = await openCommand(stage, connectionString, []);
  const { opened } = explorer;
  const { page } = opened;
  // The queue `gapped` is partitioned.
  await page.getByLabel("Filter the table").fill("ed");
  const row = (entity: string) => page.locator(`main tbody tr[data-key="${entity}"]`);
  for (const entity of ["followed", "gapped"]) await row(entity).locator("time").first().waitFor();
  await cellsOf(opened, "followed", (texts) => texts[0] === "–");
  const active = row("followed").locator("td").nth(3);
  const before = Number(await active.textContent());
  // Three senders, in turns.
  for (let sender = 0; sender < 3; sender++) await stage.ask({ ask: "send-followed", count: 10 });
  await until(async () => Number(await active.textContent()) === before + 30, "the counts of the broker");
  await page.getByRole("button", { name: "Look again" }).click();
  const cells = await cellsOf(opened, "followed", (texts) => texts[0] !== "–");
  expectThat(Number(cells[0]?.replaceAll(",", "")) > 0, `what comes in: ${cells}`);
  expectSame(cells[1], "0", "what goes out");
  const parts = await cellsOf(opened, "gapped", () => true);
  expectSame(parts.slice(0, 2), ["–", "–"], "what comes and goes in a partitioned queue");
}

async function breakers(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  const cell = (entity: string) => page.locator(`main tbody tr[data-key="${entity}"] td`).nth(-4);
  await cell("orders").getByText(/^open/).waitFor();
  expectSame(await cell("orders").textContent(), "open 2 hr. ago", "the breaker of orders");
  expectSame(
    await cell("orders").locator("span").first().getAttribute("title"),
    "billing (billing-1) holds order-placed in json",
    "its hint",
  );
  for (const [entity, text] of [
    ["invoices", "closed"],
    ["later", "–"],
    ["webhooks", "–"],
  ] as const)
    expectSame(await cell(entity).textContent(), text, `the breaker of ${entity}`);
  await page.getByRole("button", { name: "Breaker" }).click();
  await until(
    async () => (await page.locator("main tbody th").first().textContent()) === "orders",
    "the open breaker first",
  );
}

/** What the table says of what comes, goes and changes at an entity, when it says what is waited for. */
async function cellsOf(
  { page }: OpenPage,
  entity: string,
  holds: (texts: readonly string[]) => boolean,
): Promise<readonly string[]> {
  const row = page.locator(`main tbody tr[data-key="${entity}"]`);
  let texts: readonly string[] = [];
  await until(
    async () => {
      texts = (await row.locator("td").allTextContents()).slice(-3);
      return texts.length === 3 && holds(texts);
    },
    `the rates of ${entity}`,
    40_000,
  );
  return texts;
}

async function rowCount({ page }: OpenPage): Promise<number> {
  return await page.locator("main tbody tr").count();
}
