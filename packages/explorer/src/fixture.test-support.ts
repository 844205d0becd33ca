import { mkdtemp, rm } from "node:fs/promises";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createBroker, createManualClock } from "@waybill/broker";
import { createPipeline, type EncodedMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localCatalog, localTransport } from "@waybill/transport-local";
import type { ExplorerOptions } from "./options/explorer-options.js";
import type { LiveView } from "./server/live.js";
import { type ExplorerServeOptions, startExplorer } from "./server/start-explorer.js";

/** The chain of all tests here. */
export const pipeline = createPipeline({ serializer: msgpack(), additionalDeserializers: [json()] });

/** An order in JSON. */
export function order(id: number | bigint, more: Partial<EncodedMessage> = {}): EncodedMessage {
  return {
    body: new TextEncoder().encode(`{"id":${id},"lines":[{"sku":"a-${id}"}]}`),
    contentType: "application/json",
    messageId: `order-${id}`,
    subject: "order-placed",
    ...more,
  };
}

/** An undeserializable message: truncated MessagePack. */
export const garbage: EncodedMessage = {
  body: Uint8Array.of(0x82, 0xa1, 0x61, 0x01, 0xa1),
  contentType: "application/vnd.msgpack",
  messageId: "garbage",
};

/** A response of an explorer. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  json<T = Record<string, unknown>>(): T;
  /** Its lines, each as JSON. */
  lines<T = Record<string, unknown>>(): T[];
}

/** A broker with the queue `orders`, whose time advances only with `clock`, and an explorer of it with a cookie. */
export async function openExplorer(options: Partial<ExplorerOptions & ExplorerServeOptions> = {}) {
  const directory = options.directory ?? (await mkdtemp(join(tmpdir(), "waybill-explorer-")));
  const clock = createManualClock(new Date());
  const broker = createBroker({ clock });
  await broker.createQueue("orders");
  const transport = localTransport(broker);
  const explorer = await startExplorer({
    transport,
    pipeline,
    catalog: localCatalog(broker),
    namespace: "test",
    directory,
    ...options,
  });
  const base = `http://127.0.0.1:${explorer.port}`;
  const ask = (path: string, more: AskOptions = {}) => askServer(`${base}${path}`, more);
  const link = new URL(explorer.issueLink());
  const opened = await ask(`/${link.search}`);
  const cookie = String(opened.headers["set-cookie"]).split(";")[0] ?? "";
  const headers = { cookie, origin: base };
  return {
    broker,
    clock,
    transport,
    explorer,
    directory,
    base,
    ask,
    get: (path: string) => ask(path, { headers: { cookie } }),
    post: (path: string, body: unknown) => ask(path, { method: "POST", headers, body: JSON.stringify(body) }),
    /** A stream whose lines are read while it is open. */
    follow: (path: string) => followLines(`${base}${path}`, { cookie }),
    send: (...messages: EncodedMessage[]) => transport.createSender("orders").send(messages),
    async deadLetter(
      count: number,
      deadLetterReason = "DeserializationFailed",
      deadLetterErrorDescription?: string,
    ): Promise<void> {
      const receiver = transport.createReceiver({ queue: "orders" }, "peekLock");
      for (const { settlement } of await receiver.receive({ maxMessages: count, maxWaitTimeInMs: 0 }))
        if (settlement !== undefined)
          await receiver.deadLetter(settlement, { deadLetterReason, deadLetterErrorDescription });
      await receiver.close();
    },
    waiting: (path: { queue: string; subQueue?: "deadLetter" }) =>
      transport.createReceiver(path, "peekLock").peek({ maxMessages: 1_000 }),
    async [Symbol.asyncDispose]() {
      await explorer.close();
      await transport.close();
      await broker.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

function followLines(url: string, headers: Readonly<Record<string, string>>) {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    request(url, { headers }, resolve).once("error", reject).end();
  });
  return {
    /** The first line for which it holds. */
    async until(holds: (line: LiveView) => boolean): Promise<LiveView> {
      let rest = "";
      const response = await answered;
      response.setEncoding("utf8");
      for await (const chunk of response.iterator({ destroyOnReturn: false }) as AsyncIterable<string>) {
        const parts = (rest + chunk).split("\n");
        rest = parts.pop() ?? "";
        const found = parts.map((part) => JSON.parse(part) as LiveView).find(holds);
        if (found !== undefined) return found;
      }
      throw new Error("The stream ended before.");
    },
  };
}

interface AskOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

/** Not `fetch`, which sets `Host` and `Origin` itself: tests set them. */
function askServer(url: string, { method = "GET", headers = {}, body }: AskOptions): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(
      url,
      {
        method,
        headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
      },
      async (response) => {
        const chunks: Buffer[] = [];
        for await (const chunk of response as AsyncIterable<Buffer>) chunks.push(chunk);
        const text = Buffer.concat(chunks).toString("utf8");
        resolve({
          status: response.statusCode ?? 0,
          headers: response.headers,
          text,
          json: <T>() => JSON.parse(text) as T,
          lines: <T>() =>
            text
              .split("\n")
              .filter((line) => line !== "")
              .map((line) => JSON.parse(line) as T),
        });
      },
    );
    sent.once("error", reject);
    sent.end(body);
  });
}
