import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { errorCodes } from "../packages/core/src/errors/error.js";
import { reasonCodes } from "../packages/core/src/errors/reason.js";
import { documentedCommands, notRun } from "../website/src/docs-commands/documented-commands.js";
import { readOptionPages } from "../website/src/option-tables/read-option-pages.js";
import { pictureOf } from "../website/src/pictures.js";
import { type CodeBlock, type MarkdownPage, readPages } from "./markdown-pages.js";
import { readManifest, readPackages, root } from "./workspace-packages.js";

const pages = readPages();

it("every drawing of docs/ has its picture, which `npx -y pnpm@12 docs:site pictures` draws", () => {
  const drawings = pages
    .filter(({ path }) => path.startsWith("docs/"))
    .flatMap(({ codeBlocks }) => codeBlocks.filter(({ language }) => language === "mermaid"));
  const missing = drawings.filter(
    ({ text }) => !existsSync(`${root}docs/pictures/${pictureOf(`${text}\n`)}`),
  );
  expect(drawings.length).toBeGreaterThan(0);
  expect(missing).toEqual([]);
});
const manifest = readManifest(root);
const runScript = readFileSync(`${root}.ci/run`, "utf8");

describe.each(pages)("$path", (page) => {
  it("links to pages and headings that exist", () => {
    const dead = page.links.filter(({ url }) => !resolves(page, url));
    expect(dead.map(({ url, line }) => `${page.path}:${line} ${url}`)).toEqual([]);
  });

  it("has TypeScript from files that are compiled and run", () => {
    const typescript = page.codeBlocks.filter(({ language }) =>
      ["ts", "typescript", "js"].includes(language),
    );
    for (const block of typescript) {
      expect(block.marks.file, `${page.path}:${block.line} names its file`).toMatch(
        /^(?:examples|packages|test)\/.+\.ts$/,
      );
      expect(block.text, `${page.path}:${block.line}`).toBe(sourceText(block));
    }
  });

  it("names the npm package of the `waybill` command if it mentions a command", () => {
    const text = readFileSync(`${root}${page.path}`, "utf8");
    const isInBlock = shellLines(page).some(({ command }) => command.startsWith("waybill "));
    if (!isInBlock && !/`waybill [a-z]/.test(text)) return;
    expect(text).toMatch(/npx waybill|npx @waybill\/cli|npm install [^\n`]*waybill/);
  });

  it("has only commands that exist, and runs those that are marked run", () => {
    for (const { command, isRun, line } of shellLines(page)) {
      const place = `${page.path}:${line} ${command}`;
      const script = /^npx -y pnpm@12 (?:run )?([\w:-]+)/.exec(command)?.[1];
      if (script !== undefined && !["install", "exec"].includes(script))
        expect(Object.keys(manifest.scripts ?? {}), place).toContain(script);
      for (const [, name] of command.matchAll(/@waybill\/([\w-]+)/g))
        expect(existsSync(`${root}packages/${name}/package.json`), place).toBe(true);
      if (isRun) expect(runScript.split("\n"), `${place} in .ci/run`).toContain(`step ${command}`);
    }
  });
});

describe("the commands of the docs", () => {
  const { workspace, waybill, others } = documentedCommands(root);
  const steps = runScript.split("\n").filter((line) => line.startsWith("step "));

  it("are scripts that exist, also in texts", () => {
    const scripts = Object.keys(manifest.scripts ?? {});
    const unknown = workspace.filter(({ command }) => {
      const [, , , script = ""] = command.split(" ");
      return script !== "exec" && !scripts.includes(script);
    });
    expect(unknown).toEqual([]);
  });

  it("are run with their arguments by `docs:site commands`, except those that it omits with a reason", () => {
    const commands = [...workspace, ...waybill].map(({ command }) => command);
    const stale = Object.keys(notRun).filter((command) => !commands.includes(command));
    expect(stale.filter((command) => !command.includes("docs:site commands"))).toEqual([]);
    // Other lines of shell blocks install packages, which `release packed-command` tests, or set a variable.
    expect(others.filter(({ command }) => !/^(?:npm install |export )/.test(command))).toEqual([]);
  });

  it("are found: the sizes of the demo, and every example of the waybill command", () => {
    expect(workspace.map(({ command }) => command)).toEqual(
      expect.arrayContaining([
        "npx -y pnpm@12 demo --messages 20000",
        "npx -y pnpm@12 demo --transport azure",
      ]),
    );
    expect(waybill.length).toBeGreaterThan(30);
  });

  it("are run by CI if that takes less than an hour", () => {
    expect(steps).toContain("step npx -y pnpm@12 demo --messages 5000");
    expect(steps).toContain("step npx -y pnpm@12 docs:site commands waybill");
  });
});

describe("docs/errors.md", () => {
  const page = pages.find(({ path }) => path === "docs/errors.md")!;

  it("has a heading for each error code and for nothing else", () => {
    const headings = page.headings.filter(({ depth }) => depth === 2).map(({ text }) => text);
    expect(headings).toEqual(Object.keys(errorCodes));
  });

  it("documents for each code whether a retry can help", () => {
    const text = readFileSync(`${root}docs/errors.md`, "utf8");
    const said = [...text.matchAll(/^## `([\w-]+)`\n\n_(Retryable|Not retryable)\._/gm)];
    expect(Object.fromEntries(said.map(([, code, word]) => [code, word === "Retryable"]))).toEqual(
      errorCodes,
    );
  });
});

describe("docs/deserialization.md", () => {
  it("has a row for each reason, with its stage", () => {
    const text = readFileSync(`${root}docs/deserialization.md`, "utf8");
    const rows = [...text.matchAll(/^\| (\w+) +\| `([\w-]+)` +\|/gm)];
    expect(Object.fromEntries(rows.map(([, stage, reason]) => [reason, stage]))).toEqual(reasonCodes);
  });
});

describe("docs/architecture.md", () => {
  it("names only files and folders that exist", () => {
    const text = readFileSync(`${root}docs/architecture.md`, "utf8");
    const inCode = Array.from(text.matchAll(/`([^` ]+)`/g), ([, code]) => code!);
    const named = [...text.matchAll(/[\w/.-]*[\w-]\.ts\b/g)].map(([path]) => path);
    const folders = inCode.filter((code) => /^[a-z][\w-]*(?:\/[\w-]+)+$/.test(code));
    const known = readPackages().flatMap(({ name, files }) => files.map(({ path }) => `/${name}/${path}`));
    for (const room of ["reliability/src", "test", "packages/explorer/page/src"])
      for (const path of readdirSync(`${root}${room}`, { recursive: true, encoding: "utf8" }))
        known.push(`/${room}/${path}`);
    const all = known.join("\n").concat("/").replaceAll("\n", "/\n");
    const isKnown = (path: string) => all.includes(`/${path.replace(/^(?:\.\.\/|packages\/)+|^-/, "")}/`);
    expect([...named, ...folders].filter((path) => !isKnown(path))).toEqual([]);
  });
});

describe("option tables", () => {
  it.each(readOptionPages(root))("are those of the sources in $path", ({ text, filled }) => {
    // npx -y pnpm@12 docs:site tables writes them.
    expect(text).toBe(filled);
  });
});

describe("README.md", () => {
  const page = pages.find(({ path }) => path === "README.md")!;

  it("links to every package", () => {
    const targets = page.links.map(({ url }) => url);
    expect(targets).toEqual(
      expect.arrayContaining(readPackages().map(({ name }) => `packages/${name}/README.md`)),
    );
  });
});

it("has only examples with a test that runs them", () => {
  const untested = readdirSync(`${root}examples`)
    // Those in other languages are run by `pnpm interop`.
    .filter((name) => existsSync(`${root}examples/${name}/package.json`))
    .filter((name) => !hasTest(`${root}examples/${name}/src`));
  expect(untested).toEqual([]);
});

function hasTest(directory: string): boolean {
  if (!existsSync(directory)) return false;
  return readdirSync(directory, { recursive: true, encoding: "utf8" }).some((path) =>
    path.endsWith(".test.ts"),
  );
}

function resolves(page: MarkdownPage, url: string): boolean {
  if (/^(?:https?|mailto):/.test(url)) return true;
  const [path = "", anchor] = url.split("#");
  const target = path === "" ? page.path : normalize(join(dirname(page.path), path));
  if (!existsSync(root + target)) return false;
  if (anchor === undefined) return true;
  const headings = pages.find((candidate) => candidate.path === target)?.headings;
  return headings?.some((heading) => heading.anchor === anchor) ?? false;
}

function shellLines(page: MarkdownPage): { command: string; isRun: boolean; line: number }[] {
  return page.codeBlocks
    .filter(({ language }) => ["sh", "bash", "shell"].includes(language))
    .flatMap(({ text, marks, line }) =>
      text
        .split("\n")
        .map((command) => command.replace(/\s+#.*$/, "").trim())
        .filter((command) => command !== "" && !command.startsWith("#"))
        .map((command) => ({ command, isRun: "run" in marks, line })),
    );
}

/** The file of a block, or its region between `// #region name` and `// #endregion`, without common indentation. */
function sourceText({ marks }: CodeBlock): string {
  const text = readFileSync(root + marks.file!, "utf8");
  if (marks.region === undefined) return text.trim();
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.trim() === `// #region ${marks.region}`);
  if (start < 0) throw new Error(`${marks.file} has no region "${marks.region}".`);
  const length = lines.slice(start).findIndex((line) => line.trim() === "// #endregion");
  return withoutIndentation(lines.slice(start + 1, length < 0 ? undefined : start + length));
}

function withoutIndentation(lines: readonly string[]): string {
  const filled = lines.filter((line) => line.trim() !== "");
  const indentation = Math.min(...filled.map((line) => line.length - line.trimStart().length));
  return lines
    .map((line) => line.slice(indentation))
    .join("\n")
    .trim();
}
