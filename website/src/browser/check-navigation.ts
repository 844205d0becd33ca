import type { Browser } from "playwright-core";
import { type CheckResult, openWatchedPage, visit } from "./watched-page.js";

/** Walks the navigation as a reader does: the bar, every link of the sidebar, the way to the next page, and the menu of a narrow screen. */
export async function checkNavigation(browser: Browser, origin: string): Promise<CheckResult> {
  const found: string[] = [];
  const page = await openWatchedPage(browser, found, { viewport: { width: 1400, height: 900 } });
  await visit(page, `${origin}/tutorial`);
  const links = await page.locator(".VPSidebar a.link").evaluateAll((all) =>
    all.map((link) => ({
      href: link.getAttribute("href") ?? "",
      text: link.textContent?.trim() ?? "",
    })),
  );
  if (links.length < 50) found.push(`the sidebar has ${links.length} links only`);
  for (const { href, text } of links) {
    await page.locator(`.VPSidebar a.link[href="${href}"]`).first().click();
    await page.waitForURL((url) => url.pathname === href);
    const heading = page.locator(".vp-doc h1").first();
    await heading.waitFor();
    if (((await heading.textContent()) ?? "").trim() === "")
      found.push(`${href}: "${text}" leads to no title`);
  }
  await visit(page, `${origin}/tutorial`);
  const next = page.locator(".pager-link.next");
  const target = await next.getAttribute("href");
  await next.click();
  await page.waitForURL((url) => url.pathname === target);
  await page.context().close();
  found.push(...(await checkNarrow(browser, origin)));
  return { summary: `${links.length} links of the sidebar, and a narrow screen`, found };
}

async function checkNarrow(browser: Browser, origin: string): Promise<string[]> {
  const found: string[] = [];
  const page = await openWatchedPage(browser, found, { viewport: { width: 375, height: 740 } });
  for (const path of ["/", "/tutorial", "/coming-from-azure-service-bus", "/errors", "/cli"]) {
    await visit(page, origin + path);
    const overflow = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    if (overflow > 0) found.push(`${path}: ${overflow} pixels wider than a narrow screen`);
  }
  await visit(page, `${origin}/tutorial`);
  await page.locator(".VPLocalNav button.menu").click();
  await page.locator('.VPSidebar a.link[href*="concepts"]').click();
  await page.waitForURL((url) => url.pathname.startsWith("/concepts"));
  await page.context().close();
  return found;
}
