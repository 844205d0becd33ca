import type { Browser, Page } from "playwright-core";
import { type CheckResult, openWatchedPage, visit } from "./watched-page.js";

/** Pages with drawings, and the one with pictures of screens. */
const pagesWithDrawings = ["/architecture", "/concepts", "/processing"];
const pageWithScreens = "/explore";

/** The ground that the packages share: no program imports it. */
const withoutExample = "/api/@waybill/foundation";

/** What readers do beside following links: look at pictures, take a wrong address, print, and come from a search to a page of the API. */
export async function checkReading(browser: Browser, origin: string): Promise<CheckResult> {
  const found = [
    ...(await checkPictures(browser, origin)),
    ...(await checkWrongAddress(browser, origin)),
    ...(await checkPrint(browser, origin)),
    ...(await checkApi(browser, origin)),
  ];
  return { summary: "pictures, a wrong address, print and the pages of the API", found };
}

/** Drawings have a light ground in dark mode, fit a narrow screen, and open large, as the pictures of screens do. */
async function checkPictures(browser: Browser, origin: string): Promise<string[]> {
  const found: string[] = [];
  const viewport = { width: 360, height: 740 };
  const page = await openWatchedPage(browser, found, { colorScheme: "dark", viewport });
  for (const path of [...pagesWithDrawings, pageWithScreens]) {
    await visit(page, origin + path);
    const pictures = page.locator(".vp-doc img[src*='/pictures/']");
    if ((await pictures.count()) === 0) found.push(`${path}: no picture`);
    for (const { src, isDrawing, back, right } of await pictures.evaluateAll(readPictures)) {
      if (isDrawing && back !== "rgb(255, 255, 255)")
        found.push(`${path}: ${src} stands on ${back} in dark mode`);
      if (isDrawing && right > viewport.width) found.push(`${path}: ${src} is wider than a narrow screen`);
    }
    const opened = page.context().waitForEvent("page");
    await pictures.first().click();
    const large = await opened;
    await large.waitForLoadState();
    if (!/\/pictures\/.+\.(?:svg|png)$/.test(large.url()))
      found.push(`${path}: its picture opens ${large.url()}`);
    await large.close();
  }
  await page.context().close();
  return found;
}

/** Runs in the page. */
function readPictures(images: (SVGElement | HTMLElement)[]) {
  return images.map((image) => ({
    src: image.getAttribute("src"),
    isDrawing: image.classList.contains("drawing"),
    back: getComputedStyle(image).backgroundColor,
    right: image.getBoundingClientRect().right,
  }));
}

/** A wrong address is answered with a page that can be searched from. */
async function checkWrongAddress(browser: Browser, origin: string): Promise<string[]> {
  const found: string[] = [];
  const context = await browser.newContext();
  const page = await context.newPage();
  const answer = await page.goto(`${origin}/no-such-page`);
  if (answer?.status() !== 404) found.push(`a wrong address is answered with ${answer?.status()}`);
  await page.getByText("There is no such page").waitFor();
  await page.locator(".VPNavBarSearch button").first().click();
  await page.locator(".VPLocalSearchBox input.search-input").fill("census");
  await page.locator(".VPLocalSearchBox .results li a.result").first().waitFor();
  await context.close();
  return found;
}

/** On paper there are no bars, and the text has the whole width. */
async function checkPrint(browser: Browser, origin: string): Promise<string[]> {
  const found: string[] = [];
  const page = await openWatchedPage(browser, found, { viewport: { width: 1400, height: 900 } });
  await visit(page, `${origin}/tutorial`);
  await page.emulateMedia({ media: "print" });
  for (const bar of [".VPNav", ".VPLocalNav", ".VPSidebar", ".VPDocAside", ".VPDocFooter"])
    if (await isShown(page, bar)) found.push(`${bar} is printed`);
  if (!(await isShown(page, ".vp-doc h1"))) found.push("the text is not printed");
  const left = (await page.locator(".vp-doc").first().boundingBox())?.x ?? Number.POSITIVE_INFINITY;
  if (left > 400) found.push(`${left} pixels beside the text are empty on paper`);
  await page.context().close();
  return found;
}

async function isShown(page: Page, selector: string): Promise<boolean> {
  return await page.locator(selector).first().isVisible();
}

/** Every module has an example and leads to a page that explains it. */
async function checkApi(browser: Browser, origin: string): Promise<string[]> {
  const found: string[] = [];
  const page = await openWatchedPage(browser, found);
  await visit(page, `${origin}/api/`);
  const modules = await page
    .locator(".vp-doc a[href*='/api/@waybill/'], .vp-doc a[href*='@waybill/']")
    .evaluateAll((links) => [...new Set(links.map((link) => (link as HTMLAnchorElement).pathname))]);
  if (modules.length < 30) found.push(`the list of the API has ${modules.length} modules only`);
  for (const module of modules) {
    await visit(page, origin + module);
    const guides = page.locator(".vp-doc p", { hasText: "How it is used:" }).locator("a");
    if ((await guides.count()) === 0) found.push(`${module}: it leads to no page that explains it`);
    const example = page.locator(".vp-doc h1 ~ div[class*='language-ts']").first();
    const isFirst = await example.evaluate(
      (block) => document.querySelector(".vp-doc h2")?.compareDocumentPosition(block) === 2,
    );
    if (!isFirst && !module.startsWith(withoutExample)) found.push(`${module}: no example`);
  }
  await page.context().close();
  return found;
}
