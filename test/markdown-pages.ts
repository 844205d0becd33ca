import { existsSync, readdirSync, readFileSync } from "node:fs";
import GithubSlugger from "github-slugger";
import type { Code, Heading, Nodes } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { visit } from "unist-util-visit";
import { root } from "./workspace-packages.js";

/** A Markdown page of the repository. */
export interface MarkdownPage {
  /** Relative to the root, for example `docs/errors.md`. */
  readonly path: string;
  readonly headings: readonly PageHeading[];
  readonly links: readonly PageLink[];
  readonly codeBlocks: readonly CodeBlock[];
}

/** A heading with its anchor, as on GitHub. */
export interface PageHeading {
  readonly depth: number;
  readonly text: string;
  readonly anchor: string;
}

/** A link or image. */
export interface PageLink {
  readonly url: string;
  readonly line: number;
}

/** A fenced code block. */
export interface CodeBlock {
  readonly language: string;
  /** The words after the language: `file=examples/x/src/y.ts` is `{ file: "examples/x/src/y.ts" }`, `run` is `{ run: "" }`. */
  readonly marks: Readonly<Record<string, string>>;
  readonly text: string;
  readonly line: number;
}

/** Folders beside those of packages and examples that have pages of their own. */
const rooms = [".github", "release", "website"];

/** Reads every page at the root, under `docs/`, and at the top of each room, package and example. */
export function readPages(): MarkdownPage[] {
  const homes = ["packages", "examples"].flatMap((folder) =>
    children(folder).map((name) => `${folder}/${name}`),
  );
  const docs = readdirSync(`${root}docs`, { recursive: true, encoding: "utf8" }).sort();
  return [
    ...children("."),
    ...docs.map((path) => `docs/${path}`),
    ...[...rooms, ...homes].flatMap((home) => children(home).map((name) => `${home}/${name}`)),
  ]
    .filter((path) => path.endsWith(".md") && !path.includes("node_modules"))
    .map((path) => readPage(path, readFileSync(root + path, "utf8")));
}

function children(folder: string): string[] {
  return existsSync(root + folder) ? readdirSync(root + folder).sort() : [];
}

function readPage(path: string, text: string): MarkdownPage {
  const tree = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  const slugger = new GithubSlugger();
  const headings: PageHeading[] = [];
  const links: PageLink[] = [];
  const codeBlocks: CodeBlock[] = [];
  visit(tree, (node) => {
    const line = node.position?.start.line ?? 0;
    if (node.type === "heading") headings.push(toHeading(node, slugger));
    if (node.type === "code") codeBlocks.push(toCodeBlock(node, line));
    if (node.type === "link" || node.type === "image" || node.type === "definition")
      links.push({ url: node.url, line });
  });
  return { path, headings, links, codeBlocks };
}

function toHeading(heading: Heading, slugger: GithubSlugger): PageHeading {
  const text = textOf(heading);
  return { depth: heading.depth, text, anchor: slugger.slug(text) };
}

function toCodeBlock({ lang, meta, value }: Code, line: number): CodeBlock {
  const marks = (meta ?? "").split(/\s+/).filter((mark) => mark !== "");
  const entries = marks.map((mark) => [mark.split("=")[0]!, mark.split("=").slice(1).join("=")] as const);
  return { language: lang ?? "", marks: Object.fromEntries(entries), text: value, line };
}

function textOf(node: Nodes): string {
  if ("value" in node) return node.value;
  return "children" in node ? node.children.map(textOf).join("") : "";
}
