import { Buffer } from "node:buffer";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { quoted } from "../events/server-event.js";
import { entityOf, toEntityPath } from "../refusals/address.js";
import type { EntityOwners } from "./owner.js";

/** The rights of a key: send, receive, or everything. */
export type AccessRight = "Send" | "Listen" | "Manage";

/** A shared access policy of the namespace or of one entity, as in the portal. */
export interface SharedAccessKey {
  /** The policy's name, as in `SharedAccessKeyName`. */
  readonly name: string;
  /** The secret, as in `SharedAccessKey`; any text, used unchanged. */
  readonly key: string;
  /** `Manage` includes the other two. */
  readonly rights: readonly AccessRight[];
  /** Path of the queue or topic to which the key is limited; default: the whole namespace. */
  readonly entity?: string | undefined;
}

/** The rights granted to a client on a path and everything below it; the empty path is the namespace. */
export interface Grant {
  readonly path: string;
  /** Identifies the key: its name and its entity. */
  readonly key: string;
  /** The queue or topic of the key: another entity whose path is below this one is not included. */
  readonly entity: string | undefined;
  readonly rights: ReadonlySet<AccessRight>;
  /** In ms since the epoch; `Infinity` if it lasts as long as the connection. */
  readonly expiresAtMs: number;
}

/** The key in the connection strings of the official emulator, which everyone knows. */
export const emulatorKey = "SAS_KEY_VALUE";

/** The service's text for every invalid token, whatever the reason. */
export const invalidToken =
  "InvalidSignature: The token has an invalid signature, is expired, or is not for this resource.";

/** The service's text for a client that has none of some rights. */
export function missingRights(rights: readonly AccessRight[]): string {
  return `Unauthorized access. '${rights.join("' or '")}' claim(s) are required to perform this operation.`;
}

const knownRights: readonly unknown[] = ["Send", "Listen", "Manage"];

/** Checks and copies keys. Throws `TypeError` for one without name, secret or known rights, or for a duplicate name. */
export function resolveSharedAccessKeys(keys: readonly SharedAccessKey[]): SharedAccessKey[] {
  const seen = new Set<string>();
  return keys.map(({ name, key, rights, entity }) => {
    if (typeof name !== "string" || name === "") throw new TypeError("keys: a key has no name");
    if (typeof key !== "string" || key === "") throw new TypeError(`keys: '${name}' has no key`);
    if (
      !Array.isArray(rights) ||
      rights.length === 0 ||
      !rights.every((right) => knownRights.includes(right))
    ) {
      throw new TypeError(`keys: the rights of '${name}' are not some of Send, Listen and Manage`);
    }
    const identity = identityOf({ name, entity });
    if (seen.has(identity)) throw new TypeError(`keys: '${name}' is given twice`);
    seen.add(identity);
    return { name, key, rights: [...rights], entity };
  });
}

/**
 * Whether a grant ends before a path: it is that of a topic, and what looks like its subscription is a queue. To its holder, nothing is
 * there.
 */
export function isHidden({ entity }: Grant, path: string, owners: EntityOwners): boolean {
  return entity !== undefined && entity !== owners.ownerOf(path) && entity === owners.apparentOwnerOf(path);
}

/** The grant of a key's name and secret, as in SASL PLAIN; `undefined` if they are invalid. */
export function grantForSecret(
  keys: Iterable<SharedAccessKey>,
  name: string,
  secret: string,
): Grant | undefined {
  for (const key of keys) {
    if (key.name !== name || !isEqual(key.key, secret)) continue;
    return toGrant(key, scopeOf(key) ?? "", Number.POSITIVE_INFINITY);
  }
  return undefined;
}

/** How a token is presented. */
export interface Presented {
  /** The address for which it is used. */
  readonly audience: string;
  readonly nowMs: number;
  readonly owners: EntityOwners;
  /** The server's host and port, if they name the whole namespace without a scheme, as in JavaScript's tokens for forwarding. */
  readonly host?: string;
}

/** Why a token is not valid: for the log of the server, because clients are told the same for every reason. */
export interface InvalidToken {
  readonly fault: string;
}

/**
 * The grant of a token for its audience, or why it has none: it was issued neither with one of these keys nor with one of the entity, is expired
 * or is for another resource.
 * Source: "Service Bus access control with Shared Access Signatures".
 */
export function grantForToken(
  keys: readonly SharedAccessKey[],
  token: string,
  { audience, nowMs, owners, host }: Presented,
): Grant | InvalidToken {
  const fields = parseToken(token);
  if (fields === undefined) return { fault: "the token is no shared access signature" };
  const expiresAtMs = Number(fields.se) * 1000;
  // Over HTTP, the resource is the whole URL of a request.
  const named = decode(fields.sr)?.replace(/\?.*$/s, "");
  const resource = named?.toLowerCase() === host?.toLowerCase() ? "" : toPath(named);
  const wanted = toPath(audience);
  if (!(expiresAtMs > nowMs)) return { fault: "the token has expired" };
  if (resource === undefined || wanted === undefined || !isWithin(wanted, resource))
    return { fault: `the token is for ${quoted(named ?? fields.sr)}` };
  const candidates = new Set([owners.ownerOf(wanted), owners.apparentOwnerOf(wanted)]);
  let fault = `there is no policy ${quoted(fields.skn)}`;
  for (const key of [...keys, ...[...candidates].flatMap((owner) => owners.keysOf(owner))]) {
    if (key.name !== fields.skn) continue;
    const scope = scopeOf(key);
    if (scope !== undefined && !candidates.has(scope)) {
      fault = `the policy ${quoted(fields.skn)} is one of another entity`;
      continue;
    }
    fault = `the token was not signed with the key of the policy ${quoted(fields.skn)}`;
    const signature = createHmac("sha256", key.key).update(`${fields.sr}\n${fields.se}`).digest("base64");
    if (isEqual(signature, fields.sig)) return toGrant(key, wanted, expiresAtMs);
  }
  return { fault };
}

/** Whether a path equals another or is below it. Both are in lower case. */
function isWithin(path: string, scope: string): boolean {
  return scope === "" || path === scope || path.startsWith(`${scope}/`);
}

function parseToken(token: string) {
  const [, pairs] = /^SharedAccessSignature\s+(\S.*)$/i.exec(token) ?? [];
  if (pairs === undefined) return undefined;
  const fields = new Map(
    pairs.split("&").map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), pair.slice(at + 1)] as const;
    }),
  );
  // Signed as received, still percent-encoded.
  const sr = fields.get("sr");
  const se = fields.get("se");
  const sig = decode(fields.get("sig"));
  const skn = decode(fields.get("skn"));
  if (!sr || !se || !/^\d+$/.test(se) || !sig || !skn) return undefined;
  return { sr, se, sig, skn };
}

function decode(text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The entity's path in an address, in lower case; a management node belongs to its entity. */
function toPath(address: string | undefined): string | undefined {
  if (address === undefined) return undefined;
  return toEntityPath(address)
    ?.toLowerCase()
    .replace(/(?:^|\/)\$management$/, "");
}

function scopeOf({ entity }: Pick<SharedAccessKey, "entity">): string | undefined {
  return entity === undefined ? undefined : entityOf(entity);
}

function identityOf({ name, entity }: Pick<SharedAccessKey, "name" | "entity">): string {
  return `${name}\n${scopeOf({ entity }) ?? ""}`;
}

function toGrant(key: SharedAccessKey, path: string, expiresAtMs: number): Grant {
  const { rights } = key;
  const all: readonly AccessRight[] = rights.includes("Manage") ? ["Send", "Listen", "Manage"] : rights;
  return { path, key: identityOf(key), entity: scopeOf(key), rights: new Set(all), expiresAtMs };
}

/** In constant time; hashing makes the texts equally long. */
function isEqual(expected: string, given: string): boolean {
  const digest = (text: string) => createHash("sha256").update(Buffer.from(text)).digest();
  return timingSafeEqual(digest(expected), digest(given));
}
