/// <reference lib="dom" />
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { type Browser, type BrowserContext, chromium, type Page } from "playwright-core";
import { nodeCommand, SupervisedProcess } from "waybill-harness/supervised-process.js";
import type { DemoFacts } from "./demo-data.js";
import type { HostRequest } from "./host.js";

/** Debian's browser, unless another one is named. */
const executablePath = process.env.CHROMIUM ?? "/usr/bin/chromium";

/** The process of the explorer, and a browser. */
export interface Stage extends AsyncDisposable {
  readonly facts: DemoFacts;
  readonly directory: string;
  readonly browser: Browser;
  ask<T>(request: HostRequest): Promise<T>;
  /** Opens the page in a new browser context, by a new link. */
  open(options?: OpenOptions): Promise<OpenPage>;
  /** The same for the page of another explorer. */
  openAt(link: string): Promise<OpenPage>;
}

/** How the page is opened. */
export interface OpenOptions {
  readonly colorScheme?: "light" | "dark";
  readonly width?: number;
  readonly height?: number;
}

/** An open page, with its errors. */
export interface OpenPage extends AsyncDisposable {
  readonly page: Page;
  readonly context: BrowserContext;
  readonly base: string;
  /** Errors of scripts, violations of the policy, requests to elsewhere. */
  readonly complaints: string[];
  /** Goes to a place of the page. */
  go(...parts: readonly string[]): Promise<void>;
}

/** Starts both. */
export async function openStage(): Promise<Stage> {
  const program = new URL("./host.js", import.meta.url);
  const host = new SupervisedProcess({ command: nodeCommand(program, [], ["--max-old-space-size=6144"]) });
  const { ready, directory } = (await host.ready) as { ready: DemoFacts; directory: string };
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const ask = async <T>(request: HostRequest) => (await host.ask<{ answer: T }>(request)).answer;
  return {
    facts: ready,
    directory,
    browser,
    ask,
    openAt: (link) => openPage(browser, link),
    open: async (options) => await openPage(browser, await ask<string>({ ask: "link" }), options),
    async [Symbol.asyncDispose]() {
      await browser.close();
      await ask({ ask: "end" });
    },
  };
}

/** Shows an open page in both themes, wide and narrow, one after the other. */
export async function inEveryLook({ page }: OpenPage, look: (name: string) => Promise<void>): Promise<void> {
  const before = page.viewportSize() ?? { width: 1280, height: 860 };
  for (const colorScheme of ["light", "dark"] as const)
    for (const width of [1280, 360]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: before.height });
      await look(`${colorScheme}, ${width}`);
    }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize(before);
}

async function openPage(
  browser: Browser,
  link: string,
  { colorScheme = "light", width = 1280, height = 860 }: OpenOptions = {},
): Promise<OpenPage> {
  const context = await browser.newContext({
    colorScheme,
    viewport: { width, height },
    reducedMotion: "reduce",
  });
  context.setDefaultTimeout(30_000);
  const page = await context.newPage();
  const { origin: base } = new URL(link);
  const complaints: string[] = [];
  page.on("pageerror", (error) => complaints.push(`error: ${error.message}`));
  page.on("dialog", (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("console", (message) => {
    if (/Content Security Policy|TrustedHTML/i.test(message.text())) complaints.push(message.text());
  });
  page.on("request", (request) => {
    if (!request.url().startsWith(base)) complaints.push(`request: ${request.url()}`);
  });
  await page.goto(link);
  await page.getByRole("heading", { level: 1 }).waitFor();
  return {
    page,
    context,
    base,
    complaints,
    async go(...parts) {
      await page.evaluate(
        (hash) => {
          location.hash = hash;
        },
        `#/${parts.map(encodeURIComponent).join("/")}`,
      );
    },
    [Symbol.asyncDispose]: () => context.close(),
  };
}

/** Takes a census on its page. The first one compiles the schemas of all events. */
export async function takeCensus({ page }: OpenPage): Promise<void> {
  // The page loads all censuses again when one is done.
  const reloaded = page.waitForResponse(
    (response) => response.url().endsWith("/api/census") && response.request().method() === "GET",
    { timeout: 120_000 },
  );
  await page.getByRole("button", { name: "Take a census" }).click();
  await reloaded;
  await page.getByText(/^Last one/).waitFor();
}

const require = createRequire(import.meta.url);
let axeSource: string | undefined;

/** What axe finds on the page as it is now: rule and place of each violation. */
export async function axeFindings({ page }: OpenPage): Promise<string[]> {
  axeSource ??= await readFile(require.resolve("axe-core/axe.min.js"), "utf8");
  // Through the debugger, past the page's policy: it allows no script but its own.
  await page.evaluate(axeSource);
  return await page.evaluate(async () => {
    const axe = (globalThis as unknown as { axe: Axe }).axe;
    const { violations } = await axe.run();
    return violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`));
  });
}

interface Axe {
  run(): Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
}
