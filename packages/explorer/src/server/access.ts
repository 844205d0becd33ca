import { randomBytes, timingSafeEqual } from "node:crypto";
import type { IncomingMessage } from "node:http";

/** How many links may be unused at once; older ones become invalid. */
const maxTokens = 8;

/**
 * Decides who may send requests: the browser that opened the link once. The link's token is exchanged for a cookie that scripts and other sites
 * cannot use, and every request must name this server as host and come from its own page.
 */
export class Access {
  readonly #secret = randomBytes(32).toString("base64url");
  readonly #tokens: string[] = [];
  readonly #decodeOrigins: ReadonlySet<string>;
  #port = 0;

  /** `decodeOrigins` are the pages of other tools that may post to `/decode`. */
  constructor(decodeOrigins: readonly string[]) {
    this.#decodeOrigins = new Set(decodeOrigins);
  }

  /** Sets the port on which the server listens. */
  listensOn(port: number): void {
    this.#port = port;
  }

  /** Makes a link that can be opened once. */
  issueLink(): string {
    const token = randomBytes(32).toString("base64url");
    this.#tokens.push(token);
    if (this.#tokens.length > maxTokens) this.#tokens.shift();
    return `http://127.0.0.1:${this.#port}/?token=${token}`;
  }

  /** Exchanges a token for the `Set-Cookie` header; undefined for one that is unknown or used. */
  redeem(token: string): string | undefined {
    const index = this.#tokens.findIndex((known) => isSame(known, token));
    if (index === -1) return undefined;
    this.#tokens.splice(index, 1);
    return `${this.#cookieName}=${this.#secret}; Path=/; HttpOnly; SameSite=Strict`;
  }

  /** Whether a request names this server as host, and comes from its page or from no page. */
  isFromHere({ headers, method }: IncomingMessage): boolean {
    const { host, origin } = headers;
    if (!this.#hosts.includes(host ?? "")) return false;
    const site = headers["sec-fetch-site"];
    if (site !== undefined && site !== "same-origin" && site !== "none") return false;
    if (origin !== undefined) return origin === `http://${host}`;
    return method === "GET" || method === "HEAD";
  }

  /** The origin of a request if it may post to `/decode`; undefined for other origins. */
  decodeOrigin({ headers }: IncomingMessage): string | undefined {
    const { host, origin = "" } = headers;
    return this.#hosts.includes(host ?? "") && this.#decodeOrigins.has(origin) ? origin : undefined;
  }

  /** Whether a request carries the cookie. */
  hasCookie({ headers }: IncomingMessage): boolean {
    const cookies = (headers.cookie ?? "").split(/; */);
    return cookies.some((cookie) => {
      const [name, value = ""] = cookie.split("=", 2);
      return name === this.#cookieName && isSame(this.#secret, value);
    });
  }

  /** Includes the port, since browsers share cookies among all ports of a host. */
  get #cookieName(): string {
    return `waybill-explorer-${this.#port}`;
  }

  get #hosts(): readonly string[] {
    return [`127.0.0.1:${this.#port}`, `localhost:${this.#port}`];
  }
}

function isSame(known: string, given: string): boolean {
  const one = Buffer.from(known);
  const two = Buffer.from(given);
  return one.length === two.length && timingSafeEqual(one, two);
}
