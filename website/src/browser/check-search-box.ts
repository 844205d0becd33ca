import type { Browser } from "playwright-core";
import { searchQueries } from "../search-queries.js";
import { type CheckResult, openWatchedPage, visit } from "./watched-page.js";

/** How many results a reader looks through. */
const looksThrough = 8;

/** Types every query into the search box and looks for its page among the first results; opens the first result once. */
export async function checkSearchBox(browser: Browser, origin: string): Promise<CheckResult> {
  const found: string[] = [];
  const page = await openWatchedPage(browser, found);
  await visit(page, `${origin}/tutorial`);
  await page.locator(".DocSearch-Button, .VPNavBarSearch button").first().click();
  const input = page.locator(".VPLocalSearchBox input.search-input");
  await input.waitFor();
  for (const [query, expected] of searchQueries) {
    // Typed at once it would be debounced with the query before.
    await input.fill("");
    await page.locator(".VPLocalSearchBox .results li a.result").first().waitFor({ state: "detached" });
    await input.fill(query);
    await page.locator(".VPLocalSearchBox .results li a.result").first().waitFor();
    const hrefs = await page
      .locator(".VPLocalSearchBox .results li a.result")
      .evaluateAll((all) => all.map((link) => new URL((link as HTMLAnchorElement).href).pathname));
    const pages = hrefs.slice(0, looksThrough).map((path) => path.replace(/^\/|\.html$/g, ""));
    if (!pages.includes(expected))
      found.push(`"${query}" does not find ${expected}, but ${pages.slice(0, 4).join(", ")}`);
  }
  await input.fill("TS1479");
  await page.locator('.VPLocalSearchBox .results a.result[href*="troubleshooting"]').first().waitFor();
  const first = page.locator(".VPLocalSearchBox .results li a.result").first();
  const { pathname } = new URL(await first.evaluate((link) => (link as HTMLAnchorElement).href));
  await page.keyboard.press("Enter");
  await page.waitForURL((url) => url.pathname === pathname);
  await page.context().close();
  return { summary: `${searchQueries.length} queries in the search box`, found };
}
