import type { Browser } from "playwright-core";
import { type CheckResult, openWatchedPage, visit } from "./watched-page.js";

interface PageFacts {
  readonly links: readonly string[];
  readonly anchors: readonly string[];
  readonly brokenPictures: readonly string[];
  readonly title: string;
}

/** Visits every page that links lead to, beginning with the home page: no error, no dead link or anchor, no missing picture. */
export async function checkPages(browser: Browser, origin: string): Promise<CheckResult> {
  const found: string[] = [];
  const page = await openWatchedPage(browser, found);
  const files = new Set<string>();
  const facts = new Map<string, PageFacts>();
  const waiting = ["/"];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (facts.has(path)) continue;
    await visit(page, origin + path);
    const seen = await page.evaluate(readFacts);
    facts.set(path, seen);
    for (const picture of seen.brokenPictures) found.push(`${path}: the picture ${picture} does not load`);
    if (seen.title === "404 | waybill") found.push(`${path}: there is no such page`);
    for (const link of seen.links) {
      if (isPicture(link)) files.add(link);
      else if (!facts.has(pathOf(link))) waiting.push(pathOf(link));
    }
  }
  for (const file of files) {
    const response = await page.request.get(origin + file);
    if (!response.ok()) found.push(`${file}: ${response.status()} for a picture that a page leads to`);
  }
  found.push(...deadAnchors(facts));
  await page.context().close();
  const links = [...facts.values()].flatMap(({ links }) => links).length;
  return { summary: `${facts.size} pages with ${links} links between them, ${files.size} pictures`, found };
}

function deadAnchors(facts: ReadonlyMap<string, PageFacts>): string[] {
  const dead = new Set<string>();
  for (const [path, { links }] of facts) {
    for (const link of links) {
      const { hash } = new URL(link, "http://site");
      const anchor = decodeURIComponent(hash.slice(1));
      if (anchor !== "" && !facts.get(pathOf(link))?.anchors.includes(anchor))
        dead.add(`${path}: the link to ${link} leads to no heading`);
    }
  }
  return [...dead];
}

/** Pictures open large by themselves. */
function isPicture(link: string): boolean {
  return /\.(?:png|svg)$/.test(link);
}

/** The same page has several addresses. */
function pathOf(link: string): string {
  const { pathname } = new URL(link, "http://site");
  return pathname.replace(/\/index\.html$/, "/").replace(/\.html$/, "");
}

/** Runs in the page. */
function readFacts(): PageFacts {
  const own = [...document.querySelectorAll<HTMLAnchorElement>("a[href]")].filter(
    (link) => link.origin === location.origin,
  );
  const pictures = [...document.querySelectorAll("img")];
  return {
    links: [...new Set(own.map((link) => link.pathname + link.hash))],
    anchors: [...document.querySelectorAll("[id]")].map(({ id }) => id),
    brokenPictures: pictures
      .filter(({ complete, naturalWidth }) => complete && naturalWidth === 0)
      .map(({ src }) => src),
    title: document.title,
  };
}
