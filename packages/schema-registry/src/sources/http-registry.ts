import type { OptionNames } from "@waybill/core/serializer";

/** How to connect to a registry over HTTP. */
export interface HttpRegistryOptions {
  /** The registry's address, such as `https://registry.example.com`. */
  readonly url: string;
  /** Headers of every request, such as `authorization`; a function is called for each request. Default: none. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
  /** Replaces the platform's `fetch`: for proxies, certificates, tests. Default: the platform's. */
  readonly fetch?: typeof fetch | undefined;
}

/** The names of {@link HttpRegistryOptions}. */
export const httpOptionNames: OptionNames<HttpRegistryOptions> = { url: true, headers: true, fetch: true };

/** A response: its status, headers and text. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Maximum size of a response: schemas take kilobytes. */
const maxResponseBytes = 4 * 1024 * 1024;

/**
 * Statuses that are about the id in the path: it is malformed, deleted or of no use; another id may be served. A 404 is one too, if it comes
 * from the registry and not from a gateway that does not know the path: each registry says so in its own way.
 */
export const idRefusals: readonly number[] = [400, 410, 422];

/** Makes a request to a registry: a GET unless `more` says otherwise. */
export type HttpRequest = (
  path: string,
  signal: AbortSignal,
  more?: { readonly method: string; readonly headers: Record<string, string>; readonly body: string },
) => Promise<HttpAnswer>;

/**
 * Makes the requests of one registry. They reject if the address is unreachable, for status 5xx, 401, 403, 408 and 429, and for too large
 * responses. Throws a `TypeError` that begins with `who` for an invalid address.
 */
export function httpRegistry(
  { url, headers, fetch = globalThis.fetch }: HttpRegistryOptions,
  who: string,
): HttpRequest {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
    throw new TypeError(`${who}: url must be an http or https URL.`);
  const base = url.replace(/\/+$/, "");
  return async (path, signal, more) => {
    const own = typeof headers === "function" ? await headers() : headers;
    const init = { method: "GET", signal, ...more, headers: { ...own, ...more?.headers } };
    // Redirects are not followed: the credentials would be sent along.
    const response = await fetch(base + path, { ...init, redirect: "error" });
    const { status } = response;
    if (status >= 500 || [401, 403, 408, 429].includes(status)) {
      await response.body?.cancel();
      throw new Error(`The registry responded with the status ${status}.`);
    }
    return { status, headers: response.headers, text: await readText(response) };
  };
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  let text = "";
  let length = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    length += chunk.length;
    if (length > maxResponseBytes) throw new Error("The registry's response is too large.");
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
