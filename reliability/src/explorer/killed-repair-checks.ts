import { join } from "node:path";
import { nodeCommand, SupervisedProcess } from "waybill-harness/supervised-process.js";
import { axeFindings, type OpenPage, type Stage } from "./browser.js";
import { type Check, expectSame, expectThat, until } from "./check.js";
import { invoiceCount, orderCount } from "./demo-data.js";

/** What the page says and does after a repair was killed, and about the siblings of a subscription. */
export const killedRepairChecks: readonly Check[] = [
  {
    title: "resumes a repair whose process was killed: the same group, bodies, rate and destination",
    run: resuming,
  },
  { title: "repairs a subscription without reaching its siblings, unless told to", run: siblings },
];

const deadInvoices = "invoices/$DeadLetterQueue";

async function resuming(stage: Stage): Promise<void> {
  const directory = join(stage.directory, "killed");
  const connectionString = await stage.ask<string>({ ask: "serve" });
  const explorer = async () => {
    const process = new SupervisedProcess({
      command: nodeCommand(new URL("./explorer-process.js", import.meta.url), [directory]),
      env: { SERVICEBUS_CONNECTION_STRING: connectionString },
    });
    return { process, opened: await stage.openAt((await process.ready) as string) };
  };

  const first = await explorer();
  await begin(first.opened);
  await first.process.kill();
  await first.opened[Symbol.asyncDispose]();
  const sent = (await stage.ask<string[]>({ ask: "labels", path: "repaired" })).length;
  expectThat(sent > 0 && sent < invoiceCount, `${sent} were sent when it was killed`);
  await until(
    async () => (await stage.ask<number>({ ask: "locked", path: deadInvoices })) === 0,
    "the locks of the killed process to expire",
  );

  const second = await explorer();
  await using opened = second.opened;
  const { page } = opened;
  await opened.go("entity", deadInvoices, "dead-letters");
  // Another group is open: the interrupted repair goes on with its own.
  await repairGroup(opened, "CustomerUnknown");
  const plan = page.getByRole("region", { name: "Interrupted repair" });
  await plan.getByText("to repaired").waitFor();
  await plan.getByText(/^only those with kind .*PaymentServiceDown/).waitFor();
  await plan.getByText("transcoded").waitFor();
  await plan.getByText("4 a second").waitFor();
  expectSame(await axeFindings(opened), [], "what axe finds");
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByRole("button", { name: `Resume ${invoiceCount - sent}` }).click();
  await page.getByText("done", { exact: true }).waitFor();

  const there = await stage.ask<string[]>({ ask: "labels", path: "repaired" });
  const wanted = Array.from({ length: invoiceCount }, (_, id) => `invoice-${id} application/vnd.msgpack`);
  expectSame([...new Set(there)].sort(), wanted.sort(), "what arrived");
  if (there.length > wanted.length) await page.getByText("possible duplicate").waitFor();
  const left = await stage.ask<string[]>({ ask: "labels", path: deadInvoices });
  expectSame(left.length, orderCount, "dead letters of the other group");
  await second.process.kill();
}

/** Begins to repair one group, and resolves when a part of it was sent. */
async function begin(opened: OpenPage): Promise<void> {
  const { page } = opened;
  await opened.go("entity", deadInvoices, "dead-letters");
  await repairGroup(opened, "PaymentServiceDown");
  await page.getByLabel(/written again/).check();
  await page.getByLabel(/^Destination/).fill("repaired");
  await page.getByLabel(/^Messages per second/).fill("4");
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByRole("button", { name: `Repair ${invoiceCount}` }).click();
  await page.getByText(/: 20 sent again/).waitFor();
}

async function repairGroup({ page }: OpenPage, reason: string): Promise<void> {
  const group = page.getByRole("listitem").filter({ hasText: reason });
  await group.getByRole("button", { name: "Repair …", exact: true }).click();
}

async function siblings(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  const billing = "invoiced/Subscriptions/billing";
  const audit = () => stage.ask<string[]>({ ask: "labels", path: "invoiced/Subscriptions/audit" });
  await opened.go("entity", `${billing}/$DeadLetterQueue`, "dead-letters");
  await page.getByRole("button", { name: "Repair all …" }).click();
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByRole("alert").filter({ hasText: "whose other subscriptions get them too" }).waitFor();
  await page.getByLabel(/^Destination/).fill("from-billing");
  await page.getByLabel("Maximum number (empty: all)").fill("1");
  await repairOne(opened);
  expectSame((await audit()).length, 2, "messages of the sibling after a repair to a queue");
  expectSame((await stage.ask<string[]>({ ask: "labels", path: "from-billing" })).length, 1, "in the queue");
  await page.getByLabel(/^Destination/).fill("");
  await page.getByRole("checkbox", { name: /through the topic/ }).check();
  await repairOne(opened);
  // The page still says of the first repair that it is done.
  await until(
    async () => (await audit()).length === 3,
    "the sibling gets what is repaired through the topic",
  );
}

async function repairOne({ page }: OpenPage): Promise<void> {
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByRole("button", { name: "Repair 1" }).click();
  await page.getByText("done", { exact: true }).waitFor();
}
