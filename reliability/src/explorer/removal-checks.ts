import { axeFindings, type OpenPage, type Stage } from "./browser.js";
import { type Check, expectSame, until } from "./check.js";
import { removableCount } from "./removal-data.js";

/** Editing, deleting and purging. They change what the next one finds, and run in this order. */
export const removalChecks: readonly Check[] = [
  {
    title: "edits a dead letter, shows what the chain makes of it, and sends it before it is removed",
    run: editing,
  },
  { title: "deletes a selection of dead letters, after a dry run that names them", run: deleting },
  {
    title: "deletes a deferred and a scheduled message, and offers no deletion of an active one",
    run: byNumber,
  },
  { title: "says of deleted messages which were locked or gone meanwhile", run: meanwhile },
  { title: "purges a dead-letter queue only when its name is typed", run: purging },
];

const letters = "removable/$DeadLetterQueue";

async function editing(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", letters, "messages", "2");
  await page.getByRole("link", { name: "Edit and resend …" }).click();
  await page.getByRole("heading", { name: "Edit and resend № 2" }).waitFor();
  const body = page.getByLabel("Body, as text");
  expectSame(await body.inputValue(), '{"id":', "the body, which was cut off");
  const send = page.getByRole("button", { name: "Send, and remove № 2" });
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByText(/^The chain does not read it:/).waitFor();
  await send.click();
  await page.getByText(/would-be-unreadable/).waitFor();
  expectSame((await dead(stage)).length, removableCount, "dead letters after it was refused");
  await body.fill('{"id":1,"mended":true}');
  await page.getByLabel(/^Application properties/).fill("tenant=8");
  expectSame(await send.isDisabled(), true, "whether sending needs a dry run of the change");
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByText(/^The chain reads it by json/).waitFor();
  await page.getByRole("row").filter({ hasText: "tenant" }).getByText("8").waitFor();
  await axeEverywhere(stage, async (again) => {
    await again.go("entity", letters, "edit", "2");
    await again.page.getByRole("button", { name: "Dry run" }).click();
    await again.page.getByText(/^The chain does not read it:/).waitFor();
  });
  await send.click();
  await page.getByText("It was sent to removable, and № 2 was removed.").waitFor();
  expectSame((await dead(stage)).includes("removable-1"), false, "whether the dead letter is still there");
  expectSame((await ids(stage)).includes("removable-1"), true, "whether it was sent");
}

async function deleting(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
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
  await until(async () => (await dead(stage)).length === removableCount - 3, "two dead letters fewer");
  expectSame((await dead(stage)).includes("removable-2"), false, "whether a deleted one is there");
}

async function byNumber(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  for (const [id, state] of [
    ["removable-100", "deferred"],
    ["removable-200", "scheduled"],
  ] as const) {
    await opened.go("entity", "removable", "messages");
    await page.getByRole("row").filter({ hasText: id }).click();
    await page.getByRole("button", { name: "Delete …" }).click();
    await page.getByRole("button", { name: "Dry run" }).click();
    await page.getByText(`would be deleted: 1 ${state}.`).waitFor();
    await page.getByRole("button", { name: "Delete 1", exact: true }).click();
    await page.getByText(": 1 deleted").waitFor();
    await page.getByRole("button", { name: "Close", exact: true }).click();
    expectSame((await ids(stage)).includes(id), false, `whether ${id} is there`);
  }
  await opened.go("entity", "removable", "messages");
  await page.getByRole("row").filter({ hasText: "removable-300" }).click();
  await page.getByRole("link", { name: "Send as another …" }).waitFor();
  expectSame(
    await page.getByRole("button", { name: "Delete …" }).count(),
    0,
    "deletions of an active message",
  );
}

async function meanwhile(stage: Stage): Promise<void> {
  await using opened = await stage.open();
  const { page } = opened;
  await opened.go("entity", letters, "dead-letters");
  await page.getByLabel("all 5 found").check();
  await page.getByRole("button", { name: "Delete 5 selected …" }).click();
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByText("5 messages", { exact: true }).waitFor();
  // The oldest is removed by somebody else, the next one is locked.
  await stage.ask({ ask: "disturb", path: letters });
  await page.getByRole("button", { name: "Delete 5", exact: true }).click();
  await page.getByText(/: 3 deleted/).waitFor();
  await page.getByText(/^1 not there any more/).waitFor();
  await page.getByText(/^1 locked by another receiver, and stay; until/).waitFor();
  expectSame((await dead(stage)).length, 1, "dead letters that are left");
}

async function purging(stage: Stage): Promise<void> {
  await stage.ask({ ask: "release" });
  await using opened = await stage.open();
  const { page } = opened;
  const open = async ({ page: purged, go }: OpenPage) => {
    await go("entity", letters, "dead-letters");
    await purged.getByRole("button", { name: "Purge …" }).click();
    await purged.getByRole("button", { name: "Dry run" }).click();
    await purged.getByText("1 message", { exact: true }).waitFor();
  };
  await open(opened);
  await axeEverywhere(stage, open);
  const purge = page.getByRole("button", { name: "Purge 1", exact: true });
  await page.getByLabel(`Type ${letters} to purge it`).fill("removable");
  expectSame(await purge.isDisabled(), true, "whether it can be purged with another name");
  await page.getByLabel(`Type ${letters} to purge it`).fill(letters);
  await purge.click();
  await page.getByText(": 1 deleted").waitFor();
  expectSame(await dead(stage), [], "dead letters");
  await opened.go("entity", "removable", "messages");
  await page.getByRole("button", { name: "Purge …" }).click();
  await page.getByLabel("Type removable to purge it").fill("removable");
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByRole("button", { name: "Purge 3", exact: true }).click();
  await page.getByText(": 3 deleted").waitFor();
  expectSame(await ids(stage), [], "messages");
}

/** That axe finds nothing, in both themes, wide and narrow. */
async function axeEverywhere(stage: Stage, show: (opened: OpenPage) => Promise<void>): Promise<void> {
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [1280, 360]) {
      await using opened = await stage.open({ colorScheme, width });
      await show(opened);
      expectSame(await axeFindings(opened), [], `axe, ${colorScheme}, ${width}`);
    }
}

function dead(stage: Stage): Promise<string[]> {
  return stage.ask<string[]>({ ask: "ids", queue: "removable", isDead: true });
}

function ids(stage: Stage): Promise<string[]> {
  return stage.ask<string[]>({ ask: "ids", queue: "removable" });
}
