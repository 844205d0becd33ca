import { checkAccessibility } from "./browser/check-accessibility.js";
import { checkHome } from "./browser/check-home.js";
import { checkNavigation } from "./browser/check-navigation.js";
import { checkPages } from "./browser/check-pages.js";
import { checkReading } from "./browser/check-reading.js";
import { checkSearchBox } from "./browser/check-search-box.js";
import { openBrowser } from "./open-browser.js";
import { serveSite } from "./serve-site.js";

// Tries the built site in a real browser: its pages, links and pictures, the navigation, the search, and accessibility in light and dark,
// narrow and wide. Prints each finding, and ends with 1 if there is one.

const site = await serveSite();
const browser = await openBrowser();
const findings: string[] = [];
try {
  for (const check of [
    checkHome,
    checkPages,
    checkNavigation,
    checkSearchBox,
    checkReading,
    checkAccessibility,
  ]) {
    const start = performance.now();
    const { summary, found } = await check(browser, site.origin);
    console.log(`${summary}: ${found.length} findings, ${((performance.now() - start) / 1000).toFixed(0)} s`);
    for (const finding of found) console.error(`  ${finding}`);
    findings.push(...found);
  }
} finally {
  await browser.close();
  site.close();
}
process.exitCode = findings.length === 0 ? 0 : 1;
