import { axeFindings, inEveryLook, type OpenPage, type Stage } from "./browser.js";
import { type Check, expectSame, until } from "./check.js";
import { openCommand } from "./explore-command.js";
import { removableCount } from "./removal-data.js";

/** What differs between the ways in which the page is opened. */
interface Way {
  readonly title: string;
  /** The queue whose messages are removed in this way. */
  readonly queue: string;
  readonly maySend: boolean;
  open(stage: Stage): Promise<Opened>;
}

/** An open page, which is closed with its explorer. */
interface Opened extends AsyncDisposable {
  readonly opened: OpenPage;
}

const ways: readonly Way[] = [
  {
    title: "on a broker in the same process",
    queue: "removable",
    maySend: true,
    async open(stage) {
      const opened = await stage.open();
      return { opened, [Symbol.asyncDispose]: () => opened[Symbol.asyncDispose]() };
    },
  },
  {
    title: "over AMQP, with a key that may manage",
    queue: "removable-managed",
    maySend: true,
    open: async (stage) => await openCommand(stage, await stage.ask<string>({ ask: "serve" }), []),
  },
  {
    title: "over AMQP, with a key that may only listen",
    queue: "removable-listened",
    maySend: false,
    open: async (stage) =>
      await openCommand(stage, await stage.ask<string>({ ask: "serve-listen" }), [
        "--entity",
        "removable-listened",
      ]),
  },
];

/** Editing, deleting and purging. They change what the next one finds, and run in this order. */
export const removalChecks: readonly Check[] = ways.map((way) => ({
  title: `edits, deletes and purges ${way.title}: each after a dry run, and only what the key may`,
  run: (stage) => removing(stage, way),
}));

async function removing(stage: Stage, way: Way): Promise<void> {
  await stage.ask({ ask: "fill-removable", queue: way.queue });
  await using explorer = await way.open(stage);
  const scene: Scene = { ...way, stage, opened: explorer.opened, letters: `${way.queue}/$DeadLetterQueue` };
  for (const step of [editing, deleting, byNumber, meanwhile, purging]) {
    try {
      await step(scene);
    } catch (error) {
      throw new Error(`${step.name}: ${(error as Error).message}`);
    }
  }
  expectSame(explorer.opened.complaints, [], "complaints");
}

/** Where a step works. */
interface Scene extends Omit<Way, "open" | "title"> {
  readonly stage: Stage;
  readonly opened: OpenPage;
  readonly letters: string;
}

/** Edits a dead letter that was cut off, shows what the chain makes of it, and sends it before it is removed. */
async function editing(scene: Scene): Promise<void> {
  const { opened, letters, queue, maySend } = scene;
  const { page } = opened;
  await opened.go("entity", letters, "messages", "2");
  await page.getByRole("link", { name: "Edit and resend …" }).click();
  await page.getByRole("heading", { name: "Edit and resend № 2" }).waitFor();
  const body = page.getByLabel("Body, as text");
  expectSame(await body.inputValue(), '{"id":', "the body, which was cut off");
  const send = page.getByRole("button", { name: "Send, and remove № 2" });
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByText(/^The chain does not read it:/).waitFor();
  await inEveryLook(opened, async (look) => expectSame(await axeFindings(opened), [], `axe, ${look}`));
  if (!maySend) {
    const why = `The key of this connection may not send to ${queue}: it lacks the Send claim.`;
    await page.getByRole("alert").filter({ hasText: why }).waitFor();
    expectSame(await send.isDisabled(), true, "whether an edited dead letter can be sent");
    return;
  }
  await send.click();
  await page.getByText(/would-be-unreadable/).waitFor();
  expectSame((await dead(scene)).length, removableCount, "dead letters after it was refused");
  await body.fill('{"id":1,"mended":true}');
  await page.getByLabel(/^Application properties/).fill("tenant=8");
  expectSame(await send.isDisabled(), true, "whether sending needs a dry run of the change");
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByText(/^The chain reads it by json/).waitFor();
  await page.getByRole("row").filter({ hasText: "tenant" }).getByText("8").waitFor();
  await send.click();
  await page.getByText(`It was sent to ${queue}, and № 2 was removed.`).waitFor();
  expectSame((await dead(scene)).includes("removable-1"), false, "whether the dead letter is still there");
  expectSame((await ids(scene)).includes("removable-1"), true, "whether it was sent");
}

/** Deletes a selection of dead letters, after a dry run that names them. */
async function deleting(scene: Scene): Promise<void> {
  const { opened, letters } = scene;
  const { page } = opened;
  const before = (await dead(scene)).length;
  await opened.go("entity", letters, "dead-letters");
  for (const number of [3, 4]) await page.getByLabel(`Select ${number}`, { exact: true }).check();
  await page.getByRole("button", { name: "Delete 2 selected …" }).click();
  expectSame(
    await page.getByRole("button", { name: /^Delete$/ }).isDisabled(),
    true,
    "Delete before a dry run",
  );
  await page.getByRole("button", { name: "Dry run" }).click();
  const table = page.getByRole("region", { name: "Messages to delete" });
  await table.getByText("removable-2").waitFor();
  expectSame(await table.locator("tbody tr").count(), 2, "messages that are named");
  expectSame(await axeFindings(opened), [], "axe in the deletion");
  await page.getByRole("button", { name: "Delete 2", exact: true }).click();
  await page.getByText(": 2 deleted").waitFor();
  await page.getByRole("button", { name: "Close" }).click();
  await until(async () => (await dead(scene)).length === before - 2, "two dead letters fewer");
  expectSame((await dead(scene)).includes("removable-2"), false, "whether a deleted one is there");
}

/** Deletes a deferred and a scheduled message, and offers no deletion of an active one. */
async function byNumber(scene: Scene): Promise<void> {
  const { opened, queue, maySend } = scene;
  const { page } = opened;
  for (const [id, state] of [
    ["removable-100", "deferred"],
    ["removable-200", "scheduled"],
  ] as const) {
    await opened.go("entity", queue, "messages");
    await page.getByRole("row").filter({ hasText: id }).click();
    await page.getByRole("button", { name: "Delete …" }).click();
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText(`would be deleted: 1 ${state}.`).waitFor();
    const remove = page.getByRole("button", { name: "Delete 1", exact: true });
    const isForbidden = state === "scheduled" && !maySend;
    if (isForbidden) {
      await page.getByRole("alert").filter({ hasText: "cancelled through a sender" }).waitFor();
      expectSame(await remove.isDisabled(), true, "whether a scheduled message can be deleted");
    } else {
      await remove.click();
      await page.getByText(": 1 deleted").waitFor();
    }
    await page.getByRole("button", { name: "Close", exact: true }).click();
    expectSame((await ids(scene)).includes(id), isForbidden, `whether ${id} is there`);
    // The rows below move up when it leaves.
    if (!isForbidden) await page.getByRole("row").filter({ hasText: id }).waitFor({ state: "detached" });
  }
  await opened.go("entity", queue, "messages");
  await page.getByRole("row").filter({ hasText: "removable-300" }).click();
  await page.getByRole("link", { name: "Send as another …" }).waitFor();
  expectSame(
    await page.getByRole("button", { name: "Delete …" }).count(),
    0,
    "deletions of an active message",
  );
}

/** Says of deleted messages which were locked or gone meanwhile. */
async function meanwhile(scene: Scene): Promise<void> {
  const { stage, opened, letters } = scene;
  const { page } = opened;
  const before = (await dead(scene)).length;
  await opened.go("entity", letters, "dead-letters");
  await page.getByLabel(`all ${before} found`).check();
  await page.getByRole("button", { name: `Delete ${before} selected …` }).click();
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByText(`${before} messages`, { exact: true }).waitFor();
  // The oldest is removed by somebody else, the next one is locked.
  await stage.ask({ ask: "disturb", path: letters });
  await page.getByRole("button", { name: `Delete ${before}`, exact: true }).click();
  await page.getByText(`: ${before - 2} deleted`).waitFor();
  await page.getByText(/^1 not there any more/).waitFor();
  await page.getByText(/^1 locked by another receiver, and stay; until/).waitFor();
  expectSame((await dead(scene)).length, 1, "dead letters that are left");
  await page.getByRole("button", { name: "Close" }).click();
  await stage.ask({ ask: "release" });
}

/** Purges a dead-letter queue, and the queue itself, only when its name is typed. */
async function purging(scene: Scene): Promise<void> {
  const { opened, letters, queue, maySend } = scene;
  const { page } = opened;
  await opened.go("entity", letters, "dead-letters");
  await page.getByRole("button", { name: "Purge …" }).click();
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByText("1 message", { exact: true }).waitFor();
  await inEveryLook(opened, async (look) => expectSame(await axeFindings(opened), [], `axe, ${look}`));
  const purge = page.getByRole("button", { name: "Purge 1", exact: true });
  await page.getByLabel(`Type ${letters} to purge it`).fill(queue);
  expectSame(await purge.isDisabled(), true, "whether it can be purged with another name");
  await page.getByLabel(`Type ${letters} to purge it`).fill(letters);
  await purge.click();
  await page.getByText(": 1 deleted").waitFor();
  expectSame(await dead(scene), [], "dead letters");
  await page.getByRole("button", { name: "Close" }).click();

  const count = (await ids(scene)).length;
  await opened.go("entity", queue, "messages");
  await page.getByRole("button", { name: "Purge …" }).click();
  await page.getByLabel(`Type ${queue} to purge it`).fill(queue);
  await page.getByRole("button", { name: "Dry run" }).click();
  const purgeAll = page.getByRole("button", { name: `Purge ${count}`, exact: true });
  await purgeAll.waitFor();
  if (maySend) {
    await purgeAll.click();
    await page.getByText(`: ${count} deleted`).waitFor();
    expectSame(await ids(scene), [], "messages");
  } else {
    await page.getByRole("alert").filter({ hasText: "it lacks the Send claim" }).waitFor();
    expectSame(await purgeAll.isDisabled(), true, "whether scheduled messages can be purged");
  }
}

function dead({ stage, queue }: Scene): Promise<string[]> {
  return stage.ask<string[]>({ ask: "ids", queue, isDead: true });
}

function ids({ stage, queue }: Scene): Promise<string[]> {
  return stage.ask<string[]>({ ask: "ids", queue });
}
