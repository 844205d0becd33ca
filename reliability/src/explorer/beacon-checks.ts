import type { OpenPage, Stage } from "./browser.js";
import { type Check, until } from "./check.js";
import { openCommand } from "./explore-command.js";
import { startReader } from "./faulty-reader.js";

/** What running readers announce in the queue of `waybill explore --beacons`. */
export const beaconChecks: readonly Check[] = [
  {
    title: "shows the open circuit breakers of readers that announce themselves, until they close",
    run: opening,
  },
];

async function opening(stage: Stage): Promise<void> {
  for (const queue of ["beacons", "announced"]) await stage.ask({ ask: "create-queue", queue });
  const connectionString = await stage.ask<string>({ ask: "serve" });
  await using explorer = await openCommand(stage, connectionString, ["--beacons", "beacons"]);
  const { opened } = explorer;
  await opened.page.getByLabel("Filter the table").fill("announced");
  await says(opened, "–");
  {
    await using reader = await startReader(connectionString, { beacons: "beacons", queue: "announced" });
    await says(opened, "closed");
    await reader.breakAndReceive(3);
    await says(opened, /^open (?:now|\d+ sec\. ago)$/, "billing (billing-1) holds order-placed in json");
    reader.mend();
    await says(opened, "closed");
  }
  await says(opened, "–");
}

/** Waits until the table says of the queue's breaker what it should, with a hint. */
async function says({ page }: OpenPage, text: string | RegExp, hint?: string): Promise<void> {
  const cell = page.locator('main tbody tr[data-key="announced"] td').nth(-4);
  let said = "";
  const isSaid = async () => {
    await page.getByRole("button", { name: "Look again" }).click();
    said = (await cell.textContent()) ?? "";
    if (typeof text === "string" ? said !== text : !text.test(said)) return false;
    return hint === undefined || (await cell.locator("span").first().getAttribute("title")) === hint;
  };
  await until(isSaid, `the breaker to be ${text}`, 60_000).catch((error: Error) => {
    throw new Error(`${error.message} It is ${said}.`);
  });
}
