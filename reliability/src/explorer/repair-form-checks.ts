/// <reference lib="dom" />
import type { OpenPage, Stage } from "./browser.js";
import { type Check, expectSame, expectThat, until } from "./check.js";
import { openCommand } from "./explore-command.js";

/** A way to fill in the form of a repair, and what its dry run and its run have to do with it. */
interface Case {
  /** What of the form is tried. */
  readonly option: string;
  fill?(page: OpenPage["page"], queue: string): Promise<void>;
  /** What the dry run says. */
  readonly dryRun: string;
  /** What the queue that it sends to has afterwards: by default the queue itself. */
  readonly arrived: readonly string[];
  /** The rest of the name of that queue. */
  readonly target?: string;
}

const json = "application/json";
const msgpack = "application/vnd.msgpack";
const cutOff = "1 stay: undeserializable.";

const cases: readonly Case[] = [
  {
    option: "nothing filled in",
    dryRun: `5 of 6 would go to QUEUE. ${cutOff}`,
    arrived: [
      `mixed-1 ${json}`,
      `mixed-2 ${json}`,
      `mixed-3 ${msgpack}`,
      `mixed-4 ${msgpack}`,
      `mixed-6 ${json}`,
    ],
  },
  {
    option: "reasons",
    fill: (page) => page.getByLabel(/^Reasons/).fill("Refused\nBroken\n"),
    dryRun: `2 of 6 would go to QUEUE. 3 stay: not-selected. ${cutOff}`,
    arrived: [`mixed-3 ${msgpack}`, `mixed-4 ${msgpack}`],
  },
  {
    option: "message types",
    fill: (page) => page.getByLabel(/^Message types/).fill("paid"),
    dryRun: "2 of 6 would go to QUEUE. 4 stay: not-selected.",
    arrived: [`mixed-2 ${json}`, `mixed-4 ${msgpack}`],
  },
  {
    option: "serializers and content types",
    fill: (page) => page.getByLabel(/^Serializers/).fill("msgpack\ntext/plain"),
    dryRun: "2 of 6 would go to QUEUE. 4 stay: not-selected.",
    arrived: [`mixed-3 ${msgpack}`, `mixed-4 ${msgpack}`],
  },
  {
    option: "sequence numbers",
    fill: (page) => page.getByLabel(/^Sequence numbers/).fill("1\n4"),
    dryRun: "2 of 6 would go to QUEUE. 4 stay: not-selected.",
    arrived: [`mixed-1 ${json}`, `mixed-4 ${msgpack}`],
  },
  {
    option: "several criteria, of which all have to match",
    async fill(page) {
      await page.getByLabel(/^Reasons/).fill("Late");
      await page.getByLabel(/^Message types/).fill("placed");
      await page.getByLabel(/^Serializers/).fill(json);
      await page.getByLabel(/^Sequence numbers/).fill("6\n3\n2");
    },
    dryRun: "1 of 6 would go to QUEUE. 5 stay: not-selected.",
    arrived: [`mixed-6 ${json}`],
  },
  {
    option: "the destination",
    fill: (page, queue) => page.getByLabel(/^Destination/).fill(`${queue}-target`),
    dryRun: `5 of 6 would go to QUEUE-target. ${cutOff}`,
    target: "-target",
    arrived: [
      `mixed-1 ${json}`,
      `mixed-2 ${json}`,
      `mixed-3 ${msgpack}`,
      `mixed-4 ${msgpack}`,
      `mixed-6 ${json}`,
    ],
  },
  {
    option: "bodies that are written again",
    fill: (page) => page.getByLabel(/written again/).check(),
    dryRun: `5 of 6 would go to QUEUE. ${cutOff}`,
    arrived: [1, 2, 3, 4, 6].map((id) => `mixed-${id} ${json}`),
  },
  {
    option: "what cannot be read",
    fill: (page) => page.getByLabel(/also what still cannot be read/).check(),
    dryRun: "6 of 6 would go to QUEUE.",
    arrived: [
      `mixed-1 ${json}`,
      `mixed-2 ${json}`,
      `mixed-3 ${msgpack}`,
      `mixed-4 ${msgpack}`,
      `mixed-5 ${json}`,
      `mixed-6 ${json}`,
    ],
  },
  {
    option: "how often a message may have been sent again",
    fill: (page) => page.getByLabel(/^Leave those sent again/).fill("2"),
    dryRun: `4 of 6 would go to QUEUE. ${cutOff} 1 stay: resubmitted-too-often.`,
    arrived: [`mixed-1 ${json}`, `mixed-2 ${json}`, `mixed-3 ${msgpack}`, `mixed-4 ${msgpack}`],
  },
  {
    option: "the maximum number",
    fill: (page) => page.getByLabel("Maximum number (empty: all)").fill("2"),
    dryRun: "2 of 2 would go to QUEUE.",
    arrived: [`mixed-1 ${json}`, `mixed-2 ${json}`],
  },
];

/** The form of a repair, of the page of `waybill explore` with a connection string: each of its fields decides what is sent. */
export const repairFormChecks: readonly Check[] = [
  { title: "obeys every field of a repair in its dry run and in the run", run: obeying },
  { title: "gives what it sends ids of its own when the target detects duplicates", run: detecting },
  { title: "repairs no more than its dry run showed, whatever arrives meanwhile", run: limited },
  { title: "repairs no faster than the rate of the form", run: pacing },
  { title: "waits for a locked dead letter as long as the form says", run: waiting },
  { title: "refuses a repair whose number is not one, and shows where", run: mistyped },
  { title: "repairs to no destination that does not exist", run: missing },
  { title: "gives an interrupted repair up, and begins another", run: replacing },
];

async function obeying(stage: Stage): Promise<void> {
  await using explorer = await managed(stage);
  const { opened } = explorer;
  for (const [index, { option, fill, dryRun, arrived, target = "" }] of cases.entries()) {
    const queue = `mixed-${index}`;
    await openForm(stage, opened, queue);
    try {
      await fill?.(opened.page, queue);
      expectSame(await rehearse(opened), dryRun.replace("QUEUE", queue), "the dry run");
      await repair(opened, arrived.length);
      expectSame((await labels(stage, queue + target)).sort(), arrived.toSorted(), "what arrived");
      const left = await labels(stage, `${queue}/$DeadLetterQueue`);
      expectSame(left.length, 6 - arrived.length, "dead letters that are left");
    } catch (error) {
      throw new Error(`${option}: ${(error as Error).message}`);
    }
  }
}

async function detecting(stage: Stage): Promise<void> {
  await using explorer = await managed(stage);
  const { opened } = explorer;
  const { page } = opened;
  for (const [queue, isTold] of [
    ["mixed-told", true],
    ["mixed-asked", false],
  ] as const) {
    await openForm(stage, opened, queue);
    // The broker tells of one of the two targets that it detects duplicates, and the user of the other.
    await page.getByLabel(/^Destination/).fill(isTold ? `${queue}-target` : `${queue}-once`);
    if (isTold) await page.getByLabel("the target detects duplicates").check();
    await rehearse(opened);
    await page.locator("dialog details summary").filter({ hasText: "№ 1" }).click();
    await page.getByRole("row").filter({ hasText: "messageId" }).getByText("waybill-resubmit:").waitFor();
    await repair(opened, 5);
    const sent = await labels(stage, isTold ? `${queue}-target` : `${queue}-once`);
    expectSame(
      sent.map((label) => label.startsWith("waybill-resubmit:")),
      Array.from({ length: 5 }, () => true),
      "whether each got an id of its own",
    );
  }
}

async function limited(stage: Stage): Promise<void> {
  await using explorer = await managed(stage);
  const { opened } = explorer;
  await openForm(stage, opened, "mixed-growing");
  expectSame(await rehearse(opened), `5 of 6 would go to mixed-growing. ${cutOff}`, "the dry run");
  await stage.ask({ ask: "add-mixed", queue: "mixed-growing" });
  await repair(opened, 5);
  expectSame((await labels(stage, "mixed-growing")).length, 5, "what was sent");
  expectSame((await labels(stage, "mixed-growing/$DeadLetterQueue")).length, 7, "dead letters that are left");
}

async function pacing(stage: Stage): Promise<void> {
  await using explorer = await managed(stage);
  const { opened } = explorer;
  const { page } = opened;
  await openForm(stage, opened, "mixed-slow");
  await page.getByLabel(/^Messages per second/).fill("0.5");
  await page.getByLabel("Maximum number (empty: all)").fill("3");
  await rehearse(opened);
  await repair(opened, 3);
  await page.getByRole("list", { name: "Plan" }).getByText("0.5 a second").waitFor();
  const times = await page.evaluate(async () => {
    const answer = await fetch("/api/messages?entity=mixed-slow&max=10&from=0");
    const { rows } = (await answer.json()) as { rows: { enqueuedAt: string }[] };
    return rows.map(({ enqueuedAt }) => Date.parse(enqueuedAt));
  });
  const tookMs = Math.max(...times) - Math.min(...times);
  expectThat(tookMs >= 3_900, `three messages at one in two seconds took ${tookMs} ms`);
}

/** Longer than twice the time after which a queue counts as empty if nothing else is said: a repair looks twice. */
const beyondDefaultMs = 6_000;

async function waiting(stage: Stage): Promise<void> {
  await using explorer = await managed(stage);
  const { opened } = explorer;
  const { page } = opened;
  const wait = page.getByLabel(/^Seconds to wait/);
  for (const [queue, seconds] of [
    ["mixed-impatient", "0"],
    ["mixed-patient", "300"],
  ] as const) {
    await openForm(stage, opened, queue);
    // The first is gone then, and the second locked.
    await stage.ask({ ask: "disturb", path: `${queue}/$DeadLetterQueue` });
    await wait.fill(seconds);
    expectSame(await rehearse(opened), `4 of 5 would go to ${queue}. ${cutOff}`, "the dry run");
    await page.getByRole("button", { name: "Repair 4", exact: true }).click();
    await page.getByText(/: 3 sent again/).waitFor();
    if (seconds === "300") {
      await page.waitForTimeout(beyondDefaultMs);
      await page.getByText("running", { exact: true }).waitFor();
    } else await page.getByText(/^1 dead letter could not be received/).waitFor();
    await stage.ask({ ask: "release" });
    const count = seconds === "300" ? 4 : 3;
    await page.getByText(new RegExp(`: ${count} sent again`)).waitFor();
    await page.getByText("done", { exact: true }).waitFor();
    expectSame((await labels(stage, queue)).length, count, `what was sent with a wait of ${seconds} s`);
  }
}

async function mistyped(stage: Stage): Promise<void> {
  await using explorer = await managed(stage);
  const { opened } = explorer;
  const { page } = opened;
  await openForm(stage, opened, "mixed-mistyped");
  const limit = page.getByLabel("Maximum number (empty: all)");
  let asked = 0;
  page.on("request", (request) => {
    if (request.url().endsWith("/api/repair/preview")) asked++;
  });
  // The browser gives a field with these no value at all: they would mean "all".
  for (const text of ["1e", "-1", "0", "1.5"]) {
    await limit.fill("");
    await limit.pressSequentially(text);
    await page.getByRole("button", { name: "Dry run" }).click();
    await until(
      async () => await limit.evaluate((field) => field === document.activeElement),
      `the field with ${text} to have the focus`,
    );
    expectSame(asked, 0, `dry runs with ${text}`);
  }
  await limit.fill("2");
  expectSame(await rehearse(opened), "2 of 2 would go to mixed-mistyped.", "the dry run");
}

async function missing(stage: Stage): Promise<void> {
  await using explorer = await managed(stage);
  const { opened } = explorer;
  const { page } = opened;
  await openForm(stage, opened, "mixed-astray");
  await page.getByLabel(/^Destination/).fill("nowhere");
  await rehearse(opened);
  await page.getByRole("alert").filter({ hasText: "There is no queue or topic nowhere." }).waitFor();
  const button = page.getByRole("button", { name: /^Repair \d+$/ });
  expectSame(await button.isDisabled(), true, "whether Repair is disabled");
}

async function replacing(stage: Stage): Promise<void> {
  await using explorer = await managed(stage);
  const { opened } = explorer;
  const { page } = opened;
  await openForm(stage, opened, "mixed-replaced");
  await page.getByLabel(/^Messages per second/).fill("0.2");
  await rehearse(opened);
  await page.getByRole("button", { name: "Repair 5", exact: true }).click();
  await page.getByText(/: 1 sent again/).waitFor();
  await page.getByRole("button", { name: "Cancel", exact: true }).click();
  await page.getByRole("region", { name: "Interrupted repair" }).getByText("0.2 a second").waitFor();
  await page.getByRole("button", { name: "Give it up and begin another" }).click();
  await page.getByText(/^Only some of them/).click();
  await page.getByLabel(/^Message types/).fill("paid");
  await rehearse(opened);
  await repair(opened, 2);
  const sent = (await labels(stage, "mixed-replaced")).map((label) => label.split(" ")[0]);
  expectSame(sent.sort(), ["mixed-1", "mixed-2", "mixed-4"], "what both repairs sent");
}

async function managed(stage: Stage) {
  return await openCommand(stage, await stage.ask<string>({ ask: "serve" }), []);
}

/** Makes a queue with dead letters, and opens the form to repair all of them. */
async function openForm(stage: Stage, opened: OpenPage, queue: string): Promise<void> {
  const { page } = opened;
  await stage.ask({ ask: "fill-mixed", queue });
  await opened.go("entity", `${queue}/$DeadLetterQueue`, "dead-letters");
  await page.getByText("6 dead letters", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Repair all …" }).click();
  await page.getByText(/^Only some of them/).click();
}

/** What the dry run says. */
async function rehearse({ page }: OpenPage): Promise<string> {
  await page.getByRole("button", { name: "Dry run" }).click();
  const said = page.locator(".differences:not(.stale) > p").first();
  return (await said.textContent()) ?? "";
}

async function repair({ page }: OpenPage, count: number): Promise<void> {
  await page.getByRole("button", { name: `Repair ${count}`, exact: true }).click();
  await page.getByText(new RegExp(`: ${count} sent again`)).waitFor();
  await page.getByText("done", { exact: true }).waitFor();
}

function labels(stage: Stage, path: string): Promise<string[]> {
  return stage.ask<string[]>({ ask: "labels", path });
}
