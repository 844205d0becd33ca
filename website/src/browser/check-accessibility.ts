import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Browser } from "playwright-core";
import { type CheckResult, openWatchedPage, visit } from "./watched-page.js";

/** One page of each kind. */
const pages = [
  "/",
  "/tutorial",
  "/concepts",
  "/coming-from-azure-service-bus",
  "/testing",
  "/production",
  "/troubleshooting",
  "/recipes",
  "/errors",
  "/api/",
];

const screens = { narrow: { width: 375, height: 740 }, wide: { width: 1400, height: 900 } };

interface AxeViolation {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly target: readonly unknown[]; readonly failureSummary?: string }[];
}

/** Runs axe by the rules of WCAG 2.1, A and AA, on ten pages in light and dark, narrow and wide. */
export async function checkAccessibility(browser: Browser, origin: string): Promise<CheckResult> {
  const found: string[] = [];
  const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  for (const colorScheme of ["light", "dark"] as const) {
    for (const [screen, viewport] of Object.entries(screens)) {
      const page = await openWatchedPage(browser, found, { colorScheme, viewport });
      for (const path of pages) {
        await visit(page, origin + path);
        await page.evaluate(axe);
        for (const { id, help, nodes } of await page.evaluate(runAxe)) {
          const where = nodes
            .map(({ target }) => target.join(" "))
            .slice(0, 3)
            .join(", ");
          found.push(`${path} (${colorScheme}, ${screen}): ${id}, ${help}: ${where}`);
        }
      }
      await page.context().close();
    }
  }
  return { summary: `${pages.length} pages by axe, light and dark, narrow and wide`, found };
}

/** Runs in the page. */
async function runAxe(): Promise<readonly AxeViolation[]> {
  const { axe } = globalThis as unknown as {
    axe: { run(context: Document, options: object): Promise<{ violations: readonly AxeViolation[] }> };
  };
  const { violations } = await axe.run(document, {
    runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
    resultTypes: ["violations"],
  });
  return violations;
}
