import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { CensusHistory } from "../census/census-history.js";
import { RepairJobs } from "../changes/repair-jobs.js";
import { type ExplorerOptions, resolveExplorerOptions } from "../options/explorer-options.js";
import { SeenMessages } from "../search/seen-messages.js";
import { Access } from "./access.js";
import { answer } from "./answer.js";
import { noAccessPage } from "./no-access-page.js";
import { readRoutes } from "./read-routes.js";
import type { Parts, Routes } from "./route.js";
import { securityHeaders } from "./security-headers.js";
import { readStaticFiles, type StaticFile } from "./static-files.js";
import { workRoutes } from "./work-routes.js";

/** How the page is served. */
export interface ExplorerServeOptions {
  /** The port, on 127.0.0.1 only. Default: 0, any free one. */
  readonly port?: number | undefined;
  /** Pages of other tools, such as `http://localhost:8233`, that may post to `/decode`. Default: none. */
  readonly decodeOrigins?: readonly string[] | undefined;
}

/** A running explorer. */
export interface Explorer extends AsyncDisposable {
  readonly port: number;
  /** Makes a link that opens the page once; the browser that opens it gets a cookie. */
  issueLink(): string;
  /** Stops listening and ends all requests and repairs in an orderly way. */
  close(): Promise<void>;
}

/** Serves the page and its API on the loopback address. Rejects with the system's error when the port is in use. */
export async function startExplorer(options: ExplorerOptions & ExplorerServeOptions): Promise<Explorer> {
  const context = resolveExplorerOptions("startExplorer", options, { port: true, decodeOrigins: true });
  const server = new ExplorerServer(
    {
      context,
      history: new CensusHistory(context.directory, context.namespace),
      jobs: new RepairJobs(context),
      seen: new SeenMessages(context),
    },
    new Access(options.decodeOrigins ?? []),
    await readStaticFiles(),
  );
  await server.listen(options.port ?? 0);
  return server;
}

const routes: Routes = { ...readRoutes, ...workRoutes };

class ExplorerServer implements Explorer {
  readonly #parts: Parts;
  readonly #access: Access;
  readonly #files: ReadonlyMap<string, StaticFile>;
  readonly #server: Server;
  readonly #closing = new AbortController();

  constructor(parts: Parts, access: Access, files: ReadonlyMap<string, StaticFile>) {
    this.#parts = parts;
    this.#access = access;
    this.#files = files;
    this.#server = createServer((request, response) => this.#handle(request, response));
    this.#server.maxConnections = 128;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async listen(port: number): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once("error", reject).listen(port, "127.0.0.1", resolve);
    });
    this.#access.listensOn(this.port);
  }

  issueLink(): string {
    return this.#access.issueLink();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#parts.jobs.close();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value);
    const url = new URL(`http://localhost${request.url?.startsWith("/") ? request.url : "/"}`);
    const isDecode = url.pathname === "/decode" && this.#admitDecode(request, response);
    const token = url.pathname === "/" ? url.searchParams.get("token") : null;
    if (!isDecode && !this.#access.isFromHere(request)) refuse(response);
    else if (
      token === null &&
      url.pathname === "/" &&
      isNavigation(request) &&
      !this.#access.hasCookie(request)
    )
      sayHowToGetIn(response);
    else if (isDecode && request.method === "OPTIONS") response.writeHead(204).end();
    else if (token !== null) this.#exchange(request, response, token);
    else if (!this.#access.hasCookie(request)) refuse(response);
    else this.#serve(request, response, url);
  }

  #serve(request: IncomingMessage, response: ServerResponse, url: URL): void {
    const file = request.method === "GET" ? this.#files.get(url.pathname) : undefined;
    const key = `${request.method} ${url.pathname}`;
    const route = Object.hasOwn(routes, key) ? routes[key] : undefined;
    if (file !== undefined) sendFile(request, response, file);
    else if (route === undefined) notFound(response, url.pathname);
    else void answer(route, this.#parts, { request, response, url, closing: this.#closing.signal });
  }

  /** Allows pages of `decodeOrigins` to post to `/decode`, with the cookie of their browser. */
  #admitDecode(request: IncomingMessage, response: ServerResponse): boolean {
    const origin = this.#access.decodeOrigin(request);
    if (origin === undefined) return false;
    response.setHeader("Access-Control-Allow-Origin", origin);
    response.setHeader("Access-Control-Allow-Credentials", "true");
    response.setHeader("Access-Control-Allow-Methods", "POST");
    response.setHeader("Access-Control-Allow-Headers", "content-type, x-namespace");
    response.setHeader("Vary", "Origin");
    return request.method === "POST" || request.method === "OPTIONS";
  }

  #exchange(request: IncomingMessage, response: ServerResponse, token: string): void {
    // A browser's prefetch must not use up the link.
    const isAhead = /prefetch|prerender/.test(
      String(request.headers["sec-purpose"] ?? request.headers.purpose ?? ""),
    );
    const cookie = request.method === "GET" && !isAhead ? this.#access.redeem(token) : undefined;
    if (cookie === undefined && !this.#access.hasCookie(request)) {
      if (isNavigation(request)) sayHowToGetIn(response);
      else refuse(response);
    } else {
      if (cookie !== undefined) response.setHeader("Set-Cookie", cookie);
      response.writeHead(303, { Location: "/", "Cache-Control": "no-store" }).end();
    }
  }
}

function notFound(response: ServerResponse, path: string): void {
  const text =
    path === "/" ? "The page has not been built. In the repository: npx -y pnpm@12 build" : "Not found.";
  response.writeHead(404, { "Content-Type": "text/plain; charset=utf-8" }).end(`${text}\n`);
}

/** Whether a person opens an address in a browser; a prefetch is none. */
function isNavigation({ method, headers }: IncomingMessage): boolean {
  return method === "GET" && headers["sec-fetch-mode"] === "navigate" && headers["sec-purpose"] === undefined;
}

/** Refuses a request with a page that is the same for everybody. */
function sayHowToGetIn(response: ServerResponse): void {
  response.setHeader("Content-Type", "text/html; charset=utf-8");
  response.writeHead(403, { "Cache-Control": "no-store", Connection: "close" }).end(noAccessPage);
}

/** Refuses a request without a body. */
function refuse(response: ServerResponse): void {
  response.writeHead(403, { Connection: "close" }).end();
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: StaticFile): void {
  const isZipped = /\bgzip\b/.test(String(request.headers["accept-encoding"] ?? ""));
  response.setHeader("Content-Type", file.contentType);
  response.setHeader("Vary", "Accept-Encoding");
  response.setHeader("Cache-Control", file.isHashed ? "private, max-age=31536000, immutable" : "no-store");
  if (isZipped) response.setHeader("Content-Encoding", "gzip");
  response.end(isZipped ? file.zipped : file.plain);
}
