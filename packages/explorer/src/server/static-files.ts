import { readdir, readFile } from "node:fs/promises";
import { extname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { gzip } from "node:zlib";

/** A file of the page, ready to be sent. */
export interface StaticFile {
  readonly contentType: string;
  readonly plain: Uint8Array;
  readonly zipped: Uint8Array;
  /** Whether its name changes with its content. */
  readonly isHashed: boolean;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** The directory of the built page, relative to the compiled sources or to the sources themselves. */
const directories = ["../page/", "../../dist/page/"].map((path) =>
  fileURLToPath(new URL(path, import.meta.url)),
);

/** Reads the page into memory, by path: `/`, `/assets/…`. Empty when it has not been built. */
export async function readStaticFiles(): Promise<ReadonlyMap<string, StaticFile>> {
  for (const directory of directories) {
    const names = await readdir(directory, { recursive: true }).catch(() => []);
    const known = names.filter((name) => extname(name) in contentTypes && name.split(sep)[0] !== "src");
    if (!known.includes("index.html") || !known.some((name) => name.startsWith("assets"))) continue;
    return new Map(await Promise.all(known.map((name) => readStatic(directory, join(directory, name)))));
  }
  return new Map();
}

async function readStatic(directory: string, file: string): Promise<readonly [string, StaticFile]> {
  const plain = await readFile(file);
  const path = `/${relative(directory, file).split(sep).join("/")}`;
  const zipped = await promisify(gzip)(plain, { level: 9 });
  const contentType = contentTypes[extname(file)] ?? "application/octet-stream";
  return [
    path === "/index.html" ? "/" : path,
    { contentType, plain, zipped, isHashed: path.startsWith("/assets/") },
  ];
}
