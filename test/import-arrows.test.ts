import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type Package, readPackages, root, type SourceFile } from "./workspace-packages.js";

interface Arrow {
  readonly imports: readonly string[];
  /** Packages that only its tests import. */
  readonly tests?: readonly string[];
  readonly refused?: RegExp;
}

/** Every package may import it: checks, texts, timers and collections, without messages. */
const ground = "foundation";

/** The workspace packages that the sources of each package may import, besides {@link ground}, and the Node modules that they may not. */
const arrows: Readonly<Record<string, Arrow>> = {
  foundation: { imports: [], refused: /./ },
  core: {
    imports: [],
    tests: ["broker", "serializer-json", "serializer-msgpack", "transport-local"],
    refused: /./,
  },
  "claim-check": { imports: ["core"] },
  conformance: { imports: ["core"], tests: ["broker", "transport-local"] },
  "serializer-json": { imports: ["core"] },
  "serializer-avro": { imports: ["core"] },
  "serializer-msgpack": { imports: ["core"] },
  "serializer-cbor": { imports: ["core"] },
  "serializer-protobuf": { imports: ["core"] },
  "serializer-xml": { imports: ["core"] },
  "serializer-dotnet": { imports: ["core", "serializer-json"] },
  envelopes: {
    imports: ["core", "serializer-json"],
    tests: ["serializer-avro", "serializer-msgpack", "serializer-xml"],
    refused: /./,
  },
  "schema-registry": {
    imports: ["core"],
    tests: ["serializer-avro", "serializer-json", "serializer-protobuf"],
    refused: sockets(),
  },
  migration: {
    imports: ["core", "serializer-json"],
    tests: [
      "broker",
      "serializer-avro",
      "serializer-cbor",
      "serializer-msgpack",
      "serializer-protobuf",
      "serializer-xml",
      "transport-local",
    ],
    refused: sockets(),
  },
  opentelemetry: {
    imports: ["core"],
    tests: ["broker", "serializer-json", "transport-local"],
    refused: /./,
  },
  broker: { imports: [], tests: ["broker-storage-lmdb"], refused: sockets() },
  "broker-storage-lmdb": { imports: ["broker"], refused: sockets() },
  amqp: { imports: [], refused: sockets() },
  "broker-server": { imports: ["amqp", "broker"], tests: ["transport-azure"] },
  "transport-azure": {
    imports: ["amqp", "core"],
    tests: ["broker", "broker-server", "serializer-json", "transport-local"],
    refused: sockets(),
  },
  "azure-functions": {
    imports: ["core", "transport-azure"],
    tests: ["broker", "broker-server", "serializer-avro", "serializer-json", "serializer-msgpack"],
    refused: sockets(),
  },
  nestjs: { imports: ["core"], tests: ["serializer-json", "testing"], refused: /./ },
  testing: { imports: ["broker", "broker-server", "core", "transport-local"], tests: ["serializer-json"] },
  "transport-local": { imports: ["core", "broker"], tests: ["serializer-json"] },
  explorer: {
    imports: ["core", "migration"],
    tests: ["broker", "serializer-json", "serializer-msgpack", "transport-local"],
  },
  cli: {
    imports: [
      "broker",
      "broker-server",
      "broker-storage-lmdb",
      "core",
      "explorer",
      "migration",
      "serializer-json",
      "serializer-msgpack",
      "transport-azure",
      "transport-local",
    ],
  },
  waybill: { imports: ["cli"] },
};

/** Packages that all tests may import: the conformance suite. */
const testArrows = ["conformance"];

const packages = readPackages();

it("lists every package", () => {
  expect(Object.keys(arrows).sort()).toEqual(packages.map(({ name }) => name));
});

it("are all drawn in docs/architecture.md", () => {
  const page = readFileSync(`${root}docs/architecture.md`, "utf8");
  const names = new Map([["core", "core"]]);
  for (const [, id, name] of page.matchAll(/\b(\w+)\["([\w-]+)"\]/g)) names.set(id!, name!);
  const drawn = Array.from(page.matchAll(/\b(\w+)(?:\["[\w-]+"\])? --> (\w+)\b/g), ([, from, to]) => [
    from!,
    to!,
  ])
    .filter(([from, to]) => names.has(from!) && names.has(to!))
    .map(([from, to]) => `${names.get(from!)} → ${names.get(to!)}`);
  const held = Object.entries(arrows).flatMap(([from, { imports }]) =>
    imports.map((to) => `${from} → ${to}`),
  );
  expect(drawn.sort()).toEqual(held.sort());
});

describe.each(packages)("@waybill/$name", (pack) => {
  const allowed = arrows[pack.name]!;

  it("imports only what the arrows allow", () => {
    const refused = pack.files.flatMap((file) =>
      ourImports(file)
        .filter(
          (name) =>
            ![
              pack.name,
              ground,
              ...allowed.imports,
              ...(file.isTest ? [...testArrows, ...(allowed.tests ?? [])] : []),
            ].includes(name),
        )
        .map((name) => `${file.path} imports @waybill/${name}`),
    );
    expect(refused).toEqual([]);
  });

  it("depends exactly on the workspace packages that its sources import", () => {
    const imported = new Set(pack.files.filter(({ isTest }) => !isTest).flatMap(ourImports));
    expect(ourDependencies(pack)).toEqual([...imported].filter((name) => name !== pack.name).sort());
  });

  it("imports other packages by their entry points", () => {
    const refused = pack.files.flatMap((file) =>
      file.imports
        .filter((specifier) => isNoEntryPoint(specifier) || leavesPackage(file, specifier))
        .map((specifier) => `${file.path} imports ${specifier}`),
    );
    expect(refused).toEqual([]);
  });

  it("imports only the allowed Node modules", () => {
    const refused = pack.files
      .filter(({ isTest }) => !isTest)
      .flatMap((file) =>
        file.imports
          .filter((specifier) => specifier.startsWith("node:") && allowed.refused?.test(specifier) === true)
          .map((specifier) => `${file.path} imports ${specifier}`),
      );
    expect(refused).toEqual([]);
  });
});

describe("@waybill/broker", () => {
  const clockOnly =
    /\bDate\.now\b|\bnew Date\(\s*\)|\b(?:set|clear)(?:Timeout|Interval)\b|\bperformance\.|\bhrtime\b|\bnode:timers|\bnode:perf_hooks/;

  it("reads the time only in clock.ts", () => {
    const broker = packages.find(({ name }) => name === "broker")!;
    const found = broker.files
      .filter(({ path, isTest }) => path !== "src/timing/clock.ts" && !isTest)
      .flatMap(({ path, code }) =>
        code
          .split("\n")
          .flatMap((line, index) => (clockOnly.test(line) ? [`${path}:${index + 1} ${line.trim()}`] : [])),
      );
    expect(found).toEqual([]);
  });
});

function sockets(): RegExp {
  return /^node:(?:net|tls|http|http2|https|dgram|dns|child_process|cluster)\b/;
}

function ourImports(file: SourceFile): string[] {
  return file.imports.flatMap((specifier) => /^@waybill\/([^/]+)/.exec(specifier)?.[1] ?? []);
}

/** Whether a specifier refers to a file of another package that is not an entry point in its manifest. */
function isNoEntryPoint(specifier: string): boolean {
  const [, name, subpath] = /^@waybill\/([^/]+)\/(.+)$/.exec(specifier) ?? [];
  if (subpath === undefined) return false;
  const { exports = {} } = packages.find((pack) => pack.name === name)?.manifest ?? {};
  return !(`./${subpath}` in exports);
}

function ourDependencies(pack: Package): string[] {
  const { dependencies = {}, peerDependencies = {} } = pack.manifest;
  return Object.keys({ ...dependencies, ...peerDependencies })
    .flatMap((name) => /^@waybill\/(.+)$/.exec(name)?.[1] ?? [])
    .sort();
}

/** Sources import only from `src`; tests may also import from other folders of the package. */
function leavesPackage(file: SourceFile, specifier: string): boolean {
  if (!specifier.startsWith(".")) return false;
  const home = file.isTest ? "/package/" : "/package/src/";
  return !new URL(specifier, `file:///outside/package/${file.path}`).pathname.startsWith(`/outside${home}`);
}
