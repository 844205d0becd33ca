import { createHmac } from "node:crypto";
import { type Broker, type BrokerOptions, createBroker } from "@waybill/broker";
import { type BrokerServer, type ServeOptions, type SharedAccessKey, serve } from "../index.js";

/** The key with all rights. */
export const rootKey: SharedAccessKey = {
  name: "RootManageSharedAccessKey",
  key: "c2VjcmV0",
  rights: ["Manage"],
};

/** An answer with the text of its error, if it is one, without tracking data. */
interface Answer {
  readonly status: number;
  readonly body: string;
  readonly detail: string;
}

/** A broker on the network, asked over HTTP like the SDKs of other languages. */
export interface HttpFixture extends AsyncDisposable {
  readonly broker: Broker;
  readonly server: BrokerServer;
  readonly origin: string;
  /** Sends a request with a token of a key for the whole URL; `headers` may replace it. */
  ask(method: string, path: string, request?: AskOptions): Promise<Answer>;
}

interface AskOptions {
  readonly body?: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: Pick<SharedAccessKey, "name" | "key">;
}

/** Serves a broker of the standard tier with the root key and further keys. */
export async function openHttp(
  keys: readonly SharedAccessKey[] = [],
  options: BrokerOptions = { tier: "standard" },
  serving: ServeOptions = {},
): Promise<HttpFixture> {
  const broker = createBroker(options);
  const server = await serve(broker, { port: 0, keys: [rootKey, ...keys], ...serving });
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    broker,
    server,
    origin,
    async ask(method, path, { body, headers, key = rootKey } = {}) {
      const authorization = tokenOf(key, `${origin}${path.replace(/\?.*$/s, "")}`);
      const response = await fetch(`${origin}${path}`, {
        method,
        body: body ?? null,
        headers: { authorization, ...headers },
      });
      const text = await response.text();
      const [, detail = ""] = /<Detail>(.*?)(?: TrackingId:.*)?<\/Detail>/s.exec(text) ?? [];
      return {
        status: response.status,
        body: text,
        detail: detail.replaceAll("&apos;", "'").replaceAll("&#xD;", "\r"),
      };
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await broker.close();
    },
  };
}

/** A token of a key for a resource. */
export function tokenOf({ name, key }: Pick<SharedAccessKey, "name" | "key">, resource: string): string {
  const sr = encodeURIComponent(resource.toLowerCase());
  const expiry = Math.floor(Date.now() / 1000) + 600;
  const signature = createHmac("sha256", key).update(`${sr}\n${expiry}`).digest("base64");
  return `SharedAccessSignature sr=${sr}&sig=${encodeURIComponent(signature)}&se=${expiry}&skn=${name}`;
}

/** The body of a request that writes an entity or rule. */
export function entryOf(element: string, members: string): string {
  return (
    `<entry xmlns="http://www.w3.org/2005/Atom"><content type="application/xml">` +
    `<${element} xmlns="http://schemas.microsoft.com/netservices/2010/10/servicebus/connect" xmlns:i="http://www.w3.org/2001/XMLSchema-instance">` +
    `${members}</${element}></content></entry>`
  );
}
