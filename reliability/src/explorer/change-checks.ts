import type { Stage } from "./browser.js";
import { type Check, expectSame, expectThat, until } from "./check.js";
import { repairCount } from "./demo-data.js";

/** What the page changes. */
export const changeChecks: readonly Check[] = [
  { title: "checks a message against its schema, and sends it", run: sending },
  {
    title: `repairs ${repairCount} dead letters, cancelled halfway and resumed: none is lost or sent twice`,
    run: repairing,
  },
  { title: "transcodes with a difference that shows what changes", run: transcoding },
];

async function sending(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "later", "send");
  await page.getByLabel("Body, as JSON").fill('{"id":');
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByRole("alert").filter({ hasText: "The body must be JSON" }).waitFor();
  await page.getByLabel("Body, as JSON").fill('{"id":9007199254740993}');
  await page.getByLabel("Serializer").selectOption("msgpack");
  await page.getByLabel("Message id").fill("by-hand");
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByText("Valid", { exact: true }).waitFor();
  expectThat(!(await ids(stage, "later")).includes("by-hand"), "a check sent the message");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("Sent", { exact: true }).waitFor();
  expectThat((await ids(stage, "later")).includes("by-hand"), "the message was not sent");
  await page.getByLabel("Message type (subject)").fill("issues");
  await page.getByRole("button", { name: "Check" }).click();
  await page.getByRole("alert").waitFor();
}

async function repairing(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  const before = await ids(stage, "orders", true);
  expectSame(before.length, repairCount, "dead letters");
  await opened.go("entity", "orders/$DeadLetterQueue", "dead-letters");
  await page.getByRole("button", { name: "Repair …", exact: true }).click();
  expectSame(await page.getByLabel(/^Destination/).inputValue(), "orders", "the destination");
  await page.getByLabel(/^Messages per second/).fill("10");
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByText("byte-identical").first().waitFor();
  await page.getByRole("button", { name: `Repair ${repairCount}` }).click();
  await page.getByText(/: 50 sent again/).waitFor();
  await page.getByRole("button", { name: "Cancel" }).click();
  await page.getByText("Cancelled between two batches").waitFor();
  expectSame((await ids(stage, "orders")).length, 50, "messages sent when it was cancelled");
  const plan = page.getByRole("region", { name: "Interrupted repair" });
  await plan.getByText("10 a second").waitFor();
  await plan.getByText(/^only those with kind/).waitFor();
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByRole("button", { name: "Resume 50" }).click();
  await page.getByText("done", { exact: true }).waitFor();
  await until(
    async () => (await ids(stage, "orders", true)).length === 0,
    "the dead-letter queue to be empty",
  );
  expectSame((await ids(stage, "orders")).sort(), before.sort(), "what arrived");
}

async function transcoding(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", "deliveries/$DeadLetterQueue", "dead-letters");
  await page.getByRole("button", { name: "Repair all …" }).click();
  await page.getByLabel(/written again/).check();
  await page.getByLabel("Maximum number (empty: all)").fill("5");
  await page.getByRole("button", { name: "Dry run" }).click();
  const difference = page.getByRole("group").filter({ hasText: "transcoded" });
  await difference.first().locator("summary").first().click();
  await page.getByText("Read again, the value is the same.").first().waitFor();
  await page.getByRole("row").filter({ hasText: "contentType" }).first().waitFor();
}

function ids(stage: Stage, queue: string, isDead = false): Promise<string[]> {
  return stage.ask<string[]>({ ask: "ids", queue, isDead });
}
