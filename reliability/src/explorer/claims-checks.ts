import { axeFindings, type OpenPage, type Stage } from "./browser.js";
import { type Check, expectSame, until } from "./check.js";
import { openCommand } from "./explore-command.js";
import { gappedCount } from "./gapped-data.js";

/** The page of `waybill explore` with a connection string: what its key may do decides what is offered. */
export const claimsChecks: readonly Check[] = [
  {
    title:
      "a key that may only listen: what is not known is –, lists have no false end, sending is not offered",
    run: listening,
  },
  { title: "a key that may manage: counts are known, and sending is offered", run: managing },
];

async function listening(stage: Stage): Promise<void> {
  const connectionString = await stage.ask<string>({ ask: "serve-listen" });
  await using explorer = await openCommand(stage, connectionString, [
    "--entity",
    "gapped",
    "--entity",
    "orders",
  ]);
  const { opened } = explorer;
  const { page } = opened;
  await opened.go("entity", "orders", "messages");
  for (const name of ["active", "scheduled", "dead letters"]) await countOf(opened, name, "–");
  await page.getByText("Counts need the Manage claim.").waitFor();
  expectSame(await axeFindings(opened), [], "what axe finds");

  const numbers = await stage.ask<string[]>({ ask: "numbers", queue: "gapped" });
  await opened.go("entity", "gapped", "messages");
  const grid = page.getByRole("grid");
  await page
    .getByRole("row")
    .filter({ hasText: numbers[0] ?? "" })
    .first()
    .waitFor();
  expectSame(await grid.getAttribute("aria-rowcount"), "-1", "the number of rows, which nobody told");
  await grid.focus();
  const last = page.getByRole("row").filter({ hasText: numbers[gappedCount - 1] ?? "" });
  await until(async () => {
    await page.keyboard.press("End");
    return (await last.count()) > 0;
  }, "the newest message");

  const why = "The key of this connection may not send to orders: it lacks the Send claim.";
  await opened.go("entity", "orders", "send");
  await page.getByText(why).waitFor();
  expectSame(await page.getByRole("button", { name: "Send" }).isDisabled(), true, "whether Send is disabled");
  await opened.go("entity", "orders/$DeadLetterQueue", "dead-letters");
  await page.getByRole("button", { name: "Repair all …" }).click();
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByRole("alert").filter({ hasText: why }).waitFor();
  expectSame(
    await page.getByRole("button", { name: /^Repair \d+$/ }).isDisabled(),
    true,
    "whether Repair is disabled",
  );
  await opened.go("entity", "orders/$DeadLetterQueue", "edit", "1");
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByRole("alert").filter({ hasText: why }).waitFor();
  expectSame(
    await page.getByRole("button", { name: "Send, and remove № 1" }).isDisabled(),
    true,
    "whether an edited dead letter can be sent",
  );
}

async function managing(stage: Stage): Promise<void> {
  const connectionString = await stage.ask<string>({ ask: "serve" });
  await using explorer = await openCommand(stage, connectionString, []);
  const { opened } = explorer;
  const { page } = opened;
  await opened.go("entity", "gapped", "messages");
  await countOf(opened, "active", gappedCount.toLocaleString("en"));
  await opened.go("entity", "gapped", "send");
  await until(
    async () => !(await page.getByRole("button", { name: "Send" }).isDisabled()),
    "Send to be offered",
  );
}

async function countOf({ page }: OpenPage, name: string, text: string): Promise<void> {
  const count = page.locator(".counts div").filter({ hasText: name }).locator("dd").first();
  await until(async () => (await count.textContent()) === text, `${name}: ${text}`);
}
