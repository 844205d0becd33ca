import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { parseSync } from "oxc-parser";

/** A package under `packages/`. */
export interface Package {
  /** The folder's name, which is the package's name without the scope. */
  readonly name: string;
  readonly manifest: Manifest;
  readonly files: readonly SourceFile[];
}

/** The members of a `package.json` that the tests read. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly scripts?: Readonly<Record<string, string>>;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

/** One TypeScript file of a package. */
export interface SourceFile {
  /** Relative to the package, for example `src/index.ts`. */
  readonly path: string;
  readonly isTest: boolean;
  /** The text with comments replaced by spaces, so that line numbers stay the same. */
  readonly code: string;
  /** The modules from which it imports or re-exports, including types. */
  readonly imports: readonly string[];
  /** The same, each with whether only types are imported. */
  readonly references: readonly Reference[];
  /** The names that it exports; `*` for a star export. */
  readonly exports: readonly ExportedName[];
}

/** An import or re-export. */
export interface Reference {
  readonly specifier: string;
  /** Whether it is erased at run time. */
  readonly isType: boolean;
  /** Whether it is an `import()`, which loads the module later. */
  readonly isLater: boolean;
}

/** One exported name. */
export interface ExportedName {
  readonly name: string;
  readonly isType: boolean;
  /** The module that it is re-exported from. */
  readonly from?: string | undefined;
}

/** The workspace's root directory, with a slash at the end. */
export const root = fileURLToPath(new URL("../", import.meta.url));

let packages: readonly Package[] | undefined;

/** Reads all packages in order of name, once for all tests. */
export function readPackages(): readonly Package[] {
  packages ??= readdirSync(`${root}packages`)
    .sort()
    .map((name) => readPackage(name, `${root}packages/${name}/`));
  return packages;
}

/** Reads a manifest; the directory ends with a slash. */
export function readManifest(directory: string): Manifest {
  return JSON.parse(readFileSync(`${directory}package.json`, "utf8"));
}

function readPackage(name: string, directory: string): Package {
  return { name, manifest: readManifest(directory), files: readSources(directory) };
}

/** Reads the TypeScript files under `src`; the directory ends with a slash. */
export function readSources(directory: string): SourceFile[] {
  return readdirSync(`${directory}src`, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path))
    .sort()
    .map((path) => readSource(`src/${path}`, readFileSync(`${directory}src/${path}`, "utf8")));
}

function readSource(path: string, text: string): SourceFile {
  const { module, comments, errors } = parseSync(path, text);
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]!.message}`);
  const exported = module.staticExports.flatMap(({ entries }) => entries);
  const later = module.dynamicImports.map(({ moduleRequest: { start, end } }) =>
    text.slice(start + 1, end - 1),
  );
  return {
    path,
    isTest: /\.test(?:-d|-support)?\.tsx?$/.test(path),
    code: comments.reduce((code, { start, end }) => blank(code, start, end), text),
    imports: [
      ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...exported.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
      ...later,
    ],
    references: [
      ...module.staticImports.map(({ moduleRequest, entries }) => ({
        specifier: moduleRequest.value,
        isType: entries.length > 0 && entries.every(({ isType }) => isType),
        isLater: false,
      })),
      ...exported.flatMap(({ moduleRequest, isType }) =>
        moduleRequest == null ? [] : [{ specifier: moduleRequest.value, isType, isLater: false }],
      ),
      ...later.map((specifier) => ({ specifier, isType: false, isLater: true })),
    ],
    exports: exported.map(({ exportName, isType, moduleRequest }) => ({
      name: exportName.name ?? "*",
      isType,
      from: moduleRequest?.value,
    })),
  };
}

function blank(text: string, start: number, end: number): string {
  return text.slice(0, start) + text.slice(start, end).replace(/[^\n]/g, " ") + text.slice(end);
}
