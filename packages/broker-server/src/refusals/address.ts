import { splitEntityPath } from "@waybill/broker/front-end";

/** A parsed address: the token node, an entity, or an entity's management node. */
export type Address =
  | { readonly kind: "cbs" }
  | { readonly kind: "entity"; readonly path: string }
  | { readonly kind: "management"; readonly path: string };

/** A node that answers requests. */
export type Node = Exclude<Address, { kind: "entity" }>;

/** Longer addresses are invalid: an entity's path has at most 260 characters, here with percent-encoding and the rest of the URL. */
const maxLength = 2048;
const schemeAndHost = /^[a-z][a-z0-9+.-]*:\/\/[^/]*/i;
/** Visits each run of slashes only once, so its time is linear. */
const outerSlashes = /^\/+|(?<!\/)\/+$/g;
const management = /(?:^|\/)\$management$/i;

/**
 * Parses the address of a link. SDKs write it in four ways: plain, with a leading slash and percent-encoded, as a whole URL, and in any
 * case. Returns `undefined` for an invalid address.
 */
export function parseAddress(address: string): Address | undefined {
  const path = toEntityPath(address);
  if (path === undefined || path === "") return undefined;
  if (path.toLowerCase() === "$cbs") return { kind: "cbs" };
  if (management.test(path)) return { kind: "management", path: path.replace(management, "") };
  return { kind: "entity", path };
}

/** The path within the namespace in an address or a token's audience; `undefined` if its encoding is invalid or it is too long. */
export function toEntityPath(address: string): string | undefined {
  if (address.length > maxLength) return undefined;
  const rest = address.replace(schemeAndHost, "");
  const isEncoded = rest.length < address.length || rest.startsWith("/");
  const trimmed = rest.replace(outerSlashes, "");
  if (!isEncoded) return trimmed;
  try {
    return decodeURIComponent(trimmed);
  } catch {
    return undefined;
  }
}

/** The key of the entity that a path belongs to, without its sub-queue. */
export function entityOf(path: string): string {
  return splitEntityPath(path).entity.toLowerCase();
}
