import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];

/** Opens Debian's chromium, or the browser that `CHROMIUM` names. Throws with the way to get one where there is none. */
export function openBrowser(): Promise<Browser> {
  const executablePath = process.env.CHROMIUM ?? places.find((place) => existsSync(place));
  if (executablePath === undefined)
    throw new Error("There is no chromium: apt-get install chromium, or name one in CHROMIUM.");
  return chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
}
