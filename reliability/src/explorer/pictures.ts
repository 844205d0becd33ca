import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Stage, takeCensus } from "./browser.js";
import { expectThat } from "./check.js";

/** The places that the README and the docs show. */
const places = [
  {
    name: "dead-letters",
    at: ["entity", "deliveries/$DeadLetterQueue", "dead-letters"],
    ready: "readable now",
  },
  { name: "message", at: ["entity", "webhooks", "messages", "2"], ready: "Read by" },
  { name: "census", at: ["census"], ready: "Take a census" },
] as const;

/** Takes the pictures of the docs, light and dark. */
export async function takePictures(stage: Stage, directory: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await using prepared = await stage.open();
  await prepared.go("census");
  for (let taken = 0; taken < 3; taken++) await takeCensus(prepared);
  for (const colorScheme of ["light", "dark"] as const) {
    await using opened = await stage.open({ colorScheme, width: 1280, height: 800 });
    for (const { name, at, ready } of places) {
      await opened.go(...at);
      await opened.page.getByText(ready).first().waitFor();
      await opened.page.waitForTimeout(500);
      const path = join(directory, `explore-${name}-${colorScheme}.png`);
      const picture = await opened.page.screenshot({ path });
      expectThat(picture.length > 10_000, `${path} is empty`);
    }
  }
}
