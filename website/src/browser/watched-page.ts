import type { Browser, BrowserContextOptions, Page } from "playwright-core";

/** What a check found. */
export interface CheckResult {
  /** What was checked, and how many. */
  readonly summary: string;
  readonly found: readonly string[];
}

/** Opens a page whose console errors, failed requests and exceptions are findings. */
export async function openWatchedPage(
  browser: Browser,
  found: string[],
  options: BrowserContextOptions = {},
): Promise<Page> {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const where = () => new URL(page.url()).pathname;
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()))
      found.push(`${where()}: console ${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => found.push(`${where()}: ${error.message}`));
  page.on("response", (response) => {
    if (response.status() >= 400) found.push(`${where()}: ${response.status()} for ${response.url()}`);
  });
  return page;
}

/** Goes to a page of the site and waits until it is alive. */
export async function visit(page: Page, url: string): Promise<void> {
  await page.goto(url, { waitUntil: "load" });
  await page.waitForFunction(() => Object.hasOwn(document.querySelector("#app") ?? {}, "__vue_app__"));
}
