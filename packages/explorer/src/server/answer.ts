import type { IncomingMessage, ServerResponse } from "node:http";
import { underEither } from "@waybill/foundation";
import { Fields } from "../wire/fields.js";
import { describeError, RequestError } from "../wire/request-error.js";
import { toWire } from "../wire/to-wire.js";
import { LineStream } from "./line-stream.js";
import type { Call, Parts, Route } from "./route.js";

const maxBodyBytes = 1024 * 1024;

/** Answers a request by its route. Never rejects. */
export async function answer(
  route: Route,
  parts: Parts,
  { request, response, url, closing }: Exchange,
): Promise<void> {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  try {
    const { isChange, maxBytes = maxBodyBytes } = route.kind === "download" ? {} : route;
    if (isChange === true && !parts.context.allowChanges)
      throw new RequestError(403, "Changes are not allowed: start the explorer with --allow-changes.");
    const body = request.method === "POST" ? await readJsonBody(request, maxBytes) : undefined;
    const fields = body === undefined ? new Fields(url.searchParams) : Fields.of(body);
    await underEither(gone.signal, closing, (abortSignal) =>
      respond(route, { ...parts, fields, body, abortSignal }, response),
    );
  } catch (error) {
    if (!response.destroyed) fail(response, error);
  }
}

/** One request with its response. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
  readonly closing: AbortSignal;
}

async function respond(route: Route, call: Call, response: ServerResponse): Promise<void> {
  response.setHeader("Cache-Control", "no-store");
  if (route.kind === "json") {
    sendJson(response, 200, await route.answer(call));
  } else if (route.kind === "download") {
    const { name, content } = await route.answer(call);
    response.setHeader("Content-Type", "application/octet-stream");
    response.setHeader("Content-Disposition", `attachment; filename="${name.replace(/[^\w.-]/g, "-")}"`);
    response.end(content);
  } else {
    response.setHeader("Content-Type", "application/x-ndjson; charset=utf-8");
    await route.answer(call, new LineStream(response));
    response.end();
  }
}

function sendJson(response: ServerResponse, status: number, value: unknown): void {
  response.statusCode = status;
  response.setHeader("Content-Type", "application/json; charset=utf-8");
  response.end(toWire(value ?? null));
}

/** Sends the error; as a last line if the response has already begun. */
function fail(response: ServerResponse, error: unknown): void {
  const { status, text } = describeError(error);
  if (!response.headersSent) sendJson(response, status, { error: text });
  else response.end(`${toWire({ kind: "error", error: text })}\n`);
}

/** Reads a JSON body of at most `maxBytes`. Rejects with `RequestError`. */
async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  if (!/^application\/json\b/i.test(request.headers["content-type"] ?? ""))
    throw new RequestError(415, "The body must be application/json.");
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > maxBytes) throw new RequestError(413, `The body must have at most ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
  try {
    return JSON.parse(Buffer.concat(chunks).toString("utf8"));
  } catch {
    throw new RequestError(400, "The body must be JSON.");
  }
}
