import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, normalize } from "node:path";
import { output } from "./paths.js";

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".json": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2",
};

/** A site that is served for a test, as any static host does. */
export interface ServedSite {
  readonly origin: string;
  close(): void;
}

/** Serves the built site on a free port of this machine. Throws if it was not built. */
export async function serveSite(): Promise<ServedSite> {
  if (!existsSync(`${output}404.html`)) throw new Error("The site is not built: pnpm docs:site build does.");
  const server = createServer((request, response) => {
    const path = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://site").pathname));
    const file = fileOf(path);
    const shown = file ?? `${output}404.html`;
    response.writeHead(file === undefined ? 404 : 200, {
      "content-type": types[extname(shown)] ?? "application/octet-stream",
    });
    createReadStream(shown).pipe(response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function fileOf(path: string): string | undefined {
  const candidates = [path, `${path}.html`, `${path.replace(/\/$/, "")}/index.html`];
  return candidates
    .map((candidate) => output + candidate.replace(/^\//, ""))
    .find((file) => existsSync(file) && statSync(file).isFile());
}
