import type { OptionNames } from "@waybill/core/serializer";

/** How to connect to a registry over HTTP. */
export interface HttpRegistryOptions {
  /** The registry's address, such as `https://registry.example.com`. */
  readonly url: string;
  /** Headers of every request, such as `authorization`; a function is called for each request. */
  readonly headers?:
    | Readonly<Record<string, string>>
    | (() => Readonly<Record<string, string>> | Promise<Readonly<Record<string, string>>>)
    | undefined;
  /** Replaces the platform's `fetch`: for proxies, certificates, tests. */
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

/** Sends a request to a registry. Rejects if the address is unreachable, for status 5xx, 401, 403, 408 and 429, and for too large responses. */
export class HttpRegistry {
  readonly #base: string;
  readonly #headers: HttpRegistryOptions["headers"];
  readonly #fetch: typeof fetch;

  constructor({ url, headers, fetch: own }: HttpRegistryOptions, who: string) {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed === undefined || !/^https?:$/.test(parsed.protocol))
      throw new TypeError(`${who}: url must be an http or https URL.`);
    this.#base = url.replace(/\/+$/, "");
    this.#headers = headers;
    this.#fetch = own ?? globalThis.fetch;
  }

  async get(path: string, signal: AbortSignal): Promise<HttpAnswer> {
    return await this.#ask(path, { method: "GET", signal });
  }

  async post(path: string, body: unknown, contentType: string, signal: AbortSignal): Promise<HttpAnswer> {
    return await this.#ask(path, { method: "POST", signal, body: JSON.stringify(body) }, contentType);
  }

  async #ask(path: string, init: RequestInit, contentType?: string): Promise<HttpAnswer> {
    const own = typeof this.#headers === "function" ? await this.#headers() : this.#headers;
    const headers = { ...own, ...(contentType === undefined ? undefined : { "content-type": contentType }) };
    // Redirects are not followed: the credentials would be sent along.
    const response = await this.#fetch(`${this.#base}${path}`, { ...init, headers, redirect: "error" });
    const { status } = response;
    if (status >= 500 || [401, 403, 408, 429].includes(status)) {
      await response.body?.cancel();
      throw new Error(`The registry responded with the status ${status}.`);
    }
    return { status, headers: response.headers, text: await readText(response) };
  }
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
