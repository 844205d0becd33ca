import { axeFindings, type Stage } from "./browser.js";
import { type Check, expectSame, until } from "./check.js";
import { openCommand } from "./explore-command.js";

/** What the page says when the broker goes away while it works, and what it does when the broker is back. */
export const goneBrokerChecks: readonly Check[] = [
  {
    title:
      "tells what was sent when the broker is gone in the middle of a repair, and resumes when it is back",
    run: gone,
  },
];

const queue = "mixed-cut";
const letters = `${queue}/$DeadLetterQueue`;

async function gone(stage: Stage): Promise<void> {
  // A broken connection leaves locks behind.
  await stage.ask({ ask: "fill-mixed", queue, lockDurationMs: 5_000 });
  const connectionString = await stage.ask<string>({ ask: "open-door" });
  await using explorer = await openCommand(stage, connectionString, []);
  const { opened } = explorer;
  const { page } = opened;
  await opened.go("entity", letters, "dead-letters");
  await page.getByRole("button", { name: "Repair all …" }).click();
  // Two at once, and then a pause of five seconds.
  await page.getByLabel(/^Messages per second/).fill("0.4");
  await page.getByRole("button", { name: "Dry run" }).click();
  await page.getByRole("button", { name: "Repair 5", exact: true }).click();
  await page.getByText(/: 2 sent again/).waitFor();
  await stage.ask({ ask: "close-door" });

  const progress = page.getByRole("region", { name: "Progress" });
  await progress.getByText("failed", { exact: true }).waitFor({ timeout: 120_000 });
  const advice = page.getByRole("alert").filter({ hasText: "The broker does not answer" });
  await advice.filter({ hasText: "When it does again, resume the repair" }).waitFor();
  await progress.getByText(/: 2 sent again, 2 more may have been sent/).waitFor();
  expectSame((await labels(stage, queue)).length, 2, "what was sent");
  expectSame(await axeFindings(opened), [], "what axe finds");

  expectSame(await stage.ask<string>({ ask: "open-door" }), connectionString, "the broker's address");
  await until(
    async () => (await stage.ask<number>({ ask: "locked", path: letters })) === 0,
    "the locks of the broken connection to expire",
    60_000,
  );
  await page.getByRole("region", { name: "Interrupted repair" }).getByText("0.4 a second").waitFor();
  const resume = page.getByRole("button", { name: "Resume 3" });
  await until(
    async () => {
      await page.getByRole("button", { name: "Dry run" }).click();
      return await resume.isEnabled();
    },
    "the dry run to find the broker again",
    60_000,
  );
  await resume.click();
  await progress.getByText("done", { exact: true }).waitFor();
  const sent = (await labels(stage, queue)).map((label) => label.split(" ")[0]);
  expectSame(
    [...new Set(sent)].sort(),
    ["mixed-1", "mixed-2", "mixed-3", "mixed-4", "mixed-6"],
    "what arrived",
  );
}

function labels(stage: Stage, path: string): Promise<string[]> {
  return stage.ask<string[]>({ ask: "labels", path });
}
