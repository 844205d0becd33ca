import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path/posix";
import { describe, expect, it } from "vitest";
import { type Manifest, readPackages, readSources, root, type SourceFile } from "./workspace-packages.js";

/** Maximum number of source files in a folder, without tests and their support. */
const maxFiles = 20;

/** Pairs of folders that may import each other, with the reason. */
const allowedPairs: Readonly<Record<string, readonly string[]>> = {
  broker: [
    // A stored message refers to its store and its session.
    "src/entities src/messages",
  ],
};

/** Maximum number of files that reach each other through imports, types included: each is read with the others in mind. */
const maxCircle = 12;

/** Files that may need each other at run time: a message that expires may be dead-lettered, forwarded, and expire there. */
const allowedCycles: Readonly<Record<string, readonly (readonly string[])[]>> = {
  broker: [
    [
      "src/lifecycle/dead-letter-message.ts",
      "src/lifecycle/end-lock.ts",
      "src/lifecycle/expire-message.ts",
      "src/lifecycle/forward-message.ts",
      "src/lifecycle/place-message.ts",
      "src/lifecycle/route-message.ts",
      "src/lifecycle/session-lock.ts",
    ],
  ],
};

/** An import of one file of a package by another. */
interface Import {
  readonly from: string;
  readonly to: string;
  /** Whether it is erased at run time. */
  readonly isType: boolean;
  /** Whether it is an `import()`, which loads the file later. */
  readonly isLater: boolean;
}

/** Groups of sources: those of each package, and those of the explorer's page, which its bundler compiles. */
interface SourceTree {
  readonly name: string;
  readonly files: readonly SourceFile[];
  readonly manifest?: Manifest;
}

const trees: readonly SourceTree[] = [
  ...readPackages(),
  { name: "explorer/page", files: readSources(`${root}packages/explorer/page/`) },
];

describe.each(trees)("@waybill/$name", (pack) => {
  const imports = importsOf(pack);

  it("has no two folders that import each other, types included", () => {
    const arrows = new Set(
      imports
        .filter(({ from }) => !entryPointsOf(pack).includes(from))
        .map(({ from, to }) => [dirname(from), dirname(to)] as const)
        .filter(([from, to]) => from !== to)
        .map(([from, to]) => `${from} ${to}`),
    );
    const pairs = [...arrows].filter((arrow) => {
      const [from = "", to = ""] = arrow.split(" ");
      return from < to && arrows.has(`${to} ${from}`);
    });
    expect(pairs.sort()).toEqual([...(allowedPairs[pack.name] ?? [])].sort());
  });

  it("has no files that need each other at run time", () => {
    expect(cycles(imports.filter(({ isType, isLater }) => !isType && !isLater))).toEqual(
      allowedCycles[pack.name] ?? [],
    );
  });

  it(`has no circle of more than ${maxCircle} files, types included`, () => {
    expect(cycles(imports).filter((circle) => circle.length > maxCircle)).toEqual([]);
  });

  it(`has no folder with more than ${maxFiles} files`, () => {
    const counts = new Map<string, number>();
    for (const { path } of pack.files.filter(({ isTest }) => !isTest))
      counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
    const large = [...counts].filter(([, count]) => count > maxFiles).map(([folder]) => folder);
    expect(large.sort()).toEqual([]);
  });
});

describe("the folders of core", () => {
  const page = readFileSync(`${root}docs/architecture.md`, "utf8").split("\n## ")[1] ?? "";
  const core = trees.find(({ name }) => name === "core")!;
  const real = new Set(
    importsOf(core)
      .map(({ from, to }) => [folderOf(from), folderOf(to)] as const)
      .filter(([from, to]) => from !== undefined && to !== undefined && from !== to)
      .map(([from, to]) => `${from} ${to}`),
  );

  it("import each other as docs/architecture.md draws them", () => {
    const drawn = drawnArrows(page);
    expect(drawn.filter((arrow) => !real.has(arrow))).toEqual([]);
    expect([...real].filter((arrow) => !isImplied(arrow, drawn))).toEqual([]);
  });

  it("are all explained there", () => {
    const explained = Array.from(page.matchAll(/^\| `([\w/-]+)` +\|/gm), ([, name]) =>
      name!.replace(/^receive\//, ""),
    );
    const folders = new Set(
      core.files.map(({ path }) => folderOf(path)).filter((folder) => folder !== undefined),
    );
    expect(explained.sort()).toEqual([...folders].sort());
  });
});

/** A folder of `src`, of `src/receive` the room in it; undefined for the files beside the folders. */
function folderOf(path: string): string | undefined {
  return /^src\/(?:receive\/)?([\w-]+)\//.exec(path)?.[1];
}

/** The arrows of the drawing of a section, as `from to`, each `a --> b & c` as two. */
function drawnArrows(section: string): string[] {
  const names = new Map(Array.from(section.matchAll(/(\w+)\[([\w-]+)\]/g), ([, id, name]) => [id!, name!]));
  return Array.from(section.matchAll(/^ +(\w+) --> (.+)$/gm), ([, from, to]) =>
    to!.split(" & ").map((each) => {
      const id = /^\w+/.exec(each)![0];
      return `${names.get(from!) ?? from} ${names.get(id) ?? id}`;
    }),
  ).flat();
}

/** Whether an arrow is drawn, or leads along drawn ones. */
function isImplied(arrow: string, drawn: readonly string[]): boolean {
  const [from = "", to = ""] = arrow.split(" ");
  const next = drawn.filter((each) => each.startsWith(`${from} `)).map((each) => each.split(" ")[1]!);
  return next.includes(to) || next.some((each) => isImplied(`${each} ${to}`, drawn));
}

function importsOf(pack: SourceTree): Import[] {
  const sources = pack.files.filter(({ isTest }) => !isTest);
  const paths = new Set(sources.map(({ path }) => path));
  return sources.flatMap((file) =>
    file.references.flatMap(({ specifier, isType, isLater }) => {
      const to = targets(file, specifier).find((path) => paths.has(path));
      return to === undefined ? [] : [{ from: file.path, to, isType, isLater }];
    }),
  );
}

function targets({ path }: SourceFile, specifier: string): string[] {
  if (!specifier.startsWith(".")) return [];
  const written = normalize(join(dirname(path), specifier));
  return [".ts", ".tsx"].map((extension) => written.replace(/\.js$/, extension));
}

/** An entry point imports files of all folders, and no file of a folder imports it. */
function entryPointsOf({ manifest }: SourceTree): string[] {
  return Object.keys(manifest?.exports ?? {}).map((door) => `src/${door.slice("./".length) || "index"}.ts`);
}

/** Every group of files that reach each other: Tarjan's strongly connected components. */
function cycles(imports: readonly Import[]): string[][] {
  const targets = new Map<string, string[]>();
  for (const { from, to } of imports) targets.set(from, [...(targets.get(from) ?? []), to]);
  const order = new Map<string, number>();
  const stack: string[] = [];
  const found: string[][] = [];
  const visit = (file: string): number => {
    const index = order.size;
    order.set(file, index);
    let low = index;
    stack.push(file);
    for (const next of targets.get(file) ?? []) {
      if (!order.has(next)) low = Math.min(low, visit(next));
      else if (stack.includes(next)) low = Math.min(low, order.get(next) ?? low);
    }
    if (low === index) {
      const group = stack.splice(stack.indexOf(file));
      if (group.length > 1) found.push(group.sort());
    }
    return low;
  };
  for (const file of targets.keys()) if (!order.has(file)) visit(file);
  return found;
}
