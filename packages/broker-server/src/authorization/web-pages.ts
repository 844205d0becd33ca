import type { IncomingHttpHeaders } from "node:http";
import { isIP } from "node:net";

/** Which requests that web pages can make are answered: every page in a browser of this machine reaches a server on it. */
export interface PageRules {
  /** Origins whose pages may connect, such as `http://localhost:8080`. */
  readonly origins: ReadonlySet<string>;
  /** Whether a name other than those of this machine and of private networks is the server's own; `undefined` accepts every name. */
  readonly isOwnHost: ((name: string) => boolean) | undefined;
}

const localName = /^[^.]+$|\.localhost$|\.internal$/;
const authority = /^(\[[^\]]*\]|[^:]*)(?::\d*)?$/;

/**
 * Why a request is refused, for its sender; `undefined` if it is not. A page sends its origin with everything that changes something, and
 * browsers name the relation of its site; a page whose own name was made to resolve to this machine is known by the host that it asks for.
 */
export function refusalOfPage(headers: IncomingHttpHeaders, rules: PageRules): string | undefined {
  const { host = "localhost", origin } = headers;
  if (!isKnownHost(host, rules))
    return "The host of the request is no name of this server: requests by other names are refused, because web pages can make them.";
  if (origin === undefined ? isOwnSite(headers) : isOwnOrigin(origin, host, rules)) return undefined;
  return "The request comes from a web page of another origin, which may not use this server.";
}

function isKnownHost(host: string, { isOwnHost }: PageRules): boolean {
  if (isOwnHost === undefined) return true;
  const name = (authority.exec(host)?.[1] ?? "").toLowerCase();
  // No page on the internet has an address for a host, or a name that public name servers do not know.
  return isIP(name.replace(/^\[|\]$/g, "")) !== 0 || localName.test(name) || isOwnHost(name);
}

/** Some clients that are no browsers send the address that they connect to. */
function isOwnOrigin(origin: string, host: string, { origins }: PageRules): boolean {
  const own = origin.replace(/^https?:\/\//i, "").toLowerCase();
  return (own !== origin && own === host.toLowerCase()) || origins.has(origin);
}

function isOwnSite(headers: IncomingHttpHeaders): boolean {
  const site = headers["sec-fetch-site"];
  return site === undefined || site === "same-origin" || site === "none";
}
