import type { Browser } from "playwright-core";
import { type CheckResult, openWatchedPage, visit } from "./watched-page.js";

/** What waybill is compared with on the home page. */
const others = ["@azure/service-bus", "NServiceBus", "MassTransit", "Confluent"];

/** Pages from which an operator gets to the page of messages. */
const pagesOfOperators = ["/tutorial", "/troubleshooting", "/production"];

/** What a newcomer sees first: what it is and for whom, a line to install it, a short program, a picture, a dated comparison, and the way to `explore`. */
export async function checkHome(browser: Browser, origin: string): Promise<CheckResult> {
  const found: string[] = [];
  const page = await openWatchedPage(browser, found, { viewport: { width: 1400, height: 900 } });
  const expectThat = (holds: boolean, text: string) => {
    if (!holds) found.push(`${new URL(page.url()).pathname}: ${text}`);
  };
  await visit(page, `${origin}/`);
  const first = (await page.locator(".VPHero").textContent()) ?? "";
  for (const word of ["TypeScript", "Node", "Azure Service Bus"])
    expectThat(first.includes(word), `what stands first does not say ${word}`);
  const [install = "", program = ""] = await page.locator(".home-text pre code").allTextContents();
  expectThat(/^npm install @waybill\/core /.test(install), `no line to install it, but ${install}`);
  expectThat(program.includes("new WaybillClient"), "no program with a client");
  expectThat(program.trimEnd().split("\n").length <= 14, "the program is too long to be read at once");
  const picture = page.locator(".home-text img").first();
  await picture.scrollIntoViewIfNeeded();
  await picture.evaluate((image: HTMLImageElement) => image.decode());
  expectThat((await page.getByRole("link", { name: /loses the dead letter/ }).count()) === 1, "no reason");
  const head = (await page.locator(".home-text table thead").first().textContent()) ?? "";
  for (const other of others) expectThat(head.includes(other), `no comparison with ${other}`);
  expectThat(/As of \w+ 20\d\d/.test((await page.locator(".home-text").textContent()) ?? ""), "no date");

  await visit(page, `${origin}/tutorial`);
  const links = await page
    .locator(".VPSidebar a.link")
    .evaluateAll((all) => all.slice(0, 5).map((link) => link.getAttribute("href")));
  expectThat(
    links.some((link) => link?.startsWith("/explore")),
    `explore is not among the first pages: ${links}`,
  );
  for (const path of pagesOfOperators) {
    await visit(page, origin + path);
    const count = await page.locator('.vp-doc a[href*="explore"]').count();
    expectThat(count > 0, "no link to explore");
  }
  await page.context().close();
  return { summary: `the home page, and ${pagesOfOperators.length + 1} ways to explore`, found };
}
