import type { Stage } from "./browser.js";
import { type Check, expectSame } from "./check.js";
import { openCommand, startCommand } from "./explore-command.js";

/** What a page says whose program has ended, and was started again. */
export const restartChecks: readonly Check[] = [
  { title: "says how to get in after the program was started again", run: restarting },
];

async function restarting(stage: Stage): Promise<void> {
  const connectionString = await stage.ask<string>({ ask: "serve" });
  await using first = await openCommand(stage, connectionString, []);
  const { page } = first.opened;
  const alert = page.getByRole("alert");
  await first.kill();
  await alert.filter({ hasText: "The explorer does not answer: is the command still running?" }).waitFor();
  const second = await startCommand(stage, connectionString, ["--port", new URL(first.url).port]);
  await alert.filter({ hasText: "Press Enter in its terminal, and open the link that it prints." }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "This page opens only by a link" }).waitFor();
  await page.goto(second.url);
  await page.getByRole("heading", { level: 1 }).waitFor();
  expectSame(await alert.count(), 0, "what the page complains of");
  await second.kill();
}
