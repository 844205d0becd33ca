import { parseEntityPath } from "@waybill/broker/front-end";

/** What an address names: the token node, or an entity or its management node. */
export type Address =
  | { readonly kind: "cbs" }
  | { readonly kind: "entity"; readonly path: string }
  | { readonly kind: "management"; readonly path: string };

/** A node that answers requests. */
export type Node = Exclude<Address, { kind: "entity" }>;

/** Longer ones name nothing: the path of an entity has at most 260 characters, percent-encoding and what stands around it included. */
const LONGEST = 2048;
const SCHEME_AND_HOST = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i;
/** Looks at each run of slashes once, however many there are. */
const OUTER_SLASHES = /^\/+|(?<!\/)\/+$/g;
const MANAGEMENT = /(?:^|\/)\$management$/i;

/**
 * Reads the address of a link. The SDKs write it in four ways: plain, with a leading slash and percent-encoded, as a whole
 * URL, and in any letter case. Returns `undefined` for one that is no address.
 */
export function parseAddress(address: string): Address | undefined {
  const path = toEntityPath(address);
  if (path === undefined || path === "") return undefined;
  if (path.toLowerCase() === "$cbs") return { kind: "cbs" };
  if (MANAGEMENT.test(path)) return { kind: "management", path: path.replace(MANAGEMENT, "") };
  return { kind: "entity", path };
}

/** The path within the namespace that an address or a token's audience names; `undefined` when its encoding is broken or it is too long. */
export function toEntityPath(address: string): string | undefined {
  if (address.length > LONGEST) return undefined;
  const rest = address.replace(SCHEME_AND_HOST, "");
  const isEncoded = rest.length < address.length || rest.startsWith("/");
  const trimmed = rest.replace(OUTER_SLASHES, "");
  if (!isEncoded) return trimmed;
  try {
    return decodeURIComponent(trimmed);
  } catch {
    return undefined;
  }
}

/** The entity that a path belongs to, without sub-queue, in the one spelling under which it is looked up. */
export function entityOf(path: string): string {
  return parseEntityPath(path).entity.toLowerCase();
}
