import type { Clock } from "@waybill/broker";
import type { ClockAttachment, ClockDriven } from "@waybill/broker/front-end";
import { quoted } from "../events/server-event.js";
import { requestLimits } from "../limits/request-limits.js";
import { toEntityPath } from "../refusals/address.js";
import { limitExceeded, notFound, unauthorized } from "../refusals/error.js";
import type { EntityOwners } from "./owner.js";
import {
  type AccessRight,
  type Grant,
  grantForSecret,
  grantForToken,
  invalidToken,
  isHidden,
  missingRights,
  type SharedAccessKey,
} from "./shared-access-key.js";

/** Who may connect: holders of keys or, for development, anyone. */
export type Authorization =
  | { readonly kind: "keys"; readonly keys: readonly SharedAccessKey[] }
  | { readonly kind: "development" };

/** What a connection does when its rights change. */
export interface ClaimsCallbacks {
  /** The client has sent a valid token or secret; `key` is the identity of its key. */
  onShown(key: string): void;
  /** A token has expired, so that its links must be closed. */
  onExpired(): void;
  /** A token or a secret is not valid, or a right is missing. */
  onRefused(entity: string, reason: string): void;
}

/** Prevents a client from filling the memory with tokens. */
const { tokens: grantLimit } = requestLimits;

/** The rights of one connection, from the tokens and secrets it sent. They end with the connection. */
export class Claims implements ClockDriven {
  readonly #authorization: Authorization;
  readonly #clock: Clock;
  readonly #owners: EntityOwners;
  readonly #grants = new Map<string, Grant>();
  readonly #callbacks: ClaimsCallbacks;
  #attachment: ClockAttachment | undefined;
  readonly isAwaited = false;

  constructor(authorization: Authorization, clock: Clock, owners: EntityOwners, callbacks: ClaimsCallbacks) {
    this.#authorization = authorization;
    this.#owners = owners;
    this.#clock = clock;
    this.#callbacks = callbacks;
  }

  /** Accepts a token for an audience. Throws the same error for every invalid token, whatever the reason. */
  putToken(token: string, audience: string): void {
    if (this.#authorization.kind === "development") return;
    const grant = grantForToken(this.#authorization.keys, token, {
      audience,
      nowMs: this.#clock.now(),
      owners: this.#owners,
    });
    if ("fault" in grant) {
      this.#callbacks.onRefused(toEntityPath(audience) ?? "", grant.fault);
      throw unauthorized(invalidToken);
    }
    if (this.#grants.size >= grantLimit && !this.#grants.has(grant.path))
      throw limitExceeded(`A connection holds at most ${grantLimit} tokens.`);
    this.#add(grant);
  }

  /** Checks the name and secret of a key; returns whether they are valid. */
  putSecret(name: string, secret: string): boolean {
    if (this.#authorization.kind === "development") return true;
    const grant =
      grantForSecret(this.#authorization.keys, name, secret) ??
      grantForSecret(this.#owners.allKeys(), name, secret);
    if (grant !== undefined) this.#add(grant);
    else this.#callbacks.onRefused("", `no policy ${quoted(name)} has this key`);
    return grant !== undefined;
  }

  /** Whether the client has any right. */
  get isKnown(): boolean {
    if (this.#authorization.kind === "development") return true;
    const nowMs = this.#clock.now();
    return [...this.#grants.values()].some(({ expiresAtMs }) => expiresAtMs > nowMs);
  }

  /** Whether the connection has one of these rights on an entity. */
  has(path: string, ...rights: readonly AccessRight[]): boolean {
    return this.#accessTo(path, rights) === "granted";
  }

  /** Whether an entity that exists must look missing to the client. */
  isHidden(path: string): boolean {
    return this.#accessTo(path, ["Send", "Listen", "Manage"]) === "hidden";
  }

  /**
   * Throws the service's error unless the connection has one of these rights; the error does not reveal whether the entity exists. Throws
   * `entity-not-found` if it is hidden.
   */
  require(path: string, ...rights: readonly AccessRight[]): void {
    const access = this.#accessTo(path, rights);
    if (access === "hidden") throw notFound(path);
    if (access === "denied") {
      this.#callbacks.onRefused(path, `no token of the client has the right to ${rights.join(" or ")}`);
      throw unauthorized(missingRights(rights), path);
    }
  }

  /** Stops watching for expiry. */
  close(): void {
    this.#attachment?.detach();
    this.#attachment = undefined;
    this.#grants.clear();
  }

  get nextDueMs(): number {
    let next = Number.POSITIVE_INFINITY;
    for (const { expiresAtMs } of this.#grants.values()) next = Math.min(next, expiresAtMs);
    // Tokens expire by wall-clock time, but clocks drive in steady time.
    return next - (this.#clock.steppedMs ?? 0);
  }

  runDue(): void {
    const nowMs = this.#clock.now();
    for (const [path, { expiresAtMs }] of this.#grants) if (expiresAtMs <= nowMs) this.#grants.delete(path);
    this.#callbacks.onExpired();
  }

  #accessTo(path: string, rights: readonly AccessRight[]): "granted" | "hidden" | "denied" {
    if (this.#authorization.kind === "development") return "granted";
    const wanted = path.toLowerCase();
    const nowMs = this.#clock.now();
    let access: "hidden" | "denied" = "denied";
    for (let above: string | undefined = wanted; above !== undefined; above = parentOf(above)) {
      const grant = this.#grants.get(above);
      if (grant === undefined || grant.expiresAtMs <= nowMs) continue;
      if (!rights.some((right) => grant.rights.has(right))) continue;
      if (grant.entity === undefined || grant.entity === this.#owners.ownerOf(wanted)) return "granted";
      if (isHidden(grant, wanted, this.#owners)) access = "hidden";
    }
    return access;
  }

  #add(grant: Grant): void {
    this.#grants.set(grant.path, grant);
    this.#callbacks.onShown(grant.key);
    if (grant.expiresAtMs === Number.POSITIVE_INFINITY) return;
    this.#attachment ??= this.#clock.attach(this);
    this.#attachment.reschedule();
  }
}

/** The parent of a path; the topmost is the empty path, the namespace. */
function parentOf(path: string): string | undefined {
  return path === "" ? undefined : path.slice(0, Math.max(0, path.lastIndexOf("/")));
}
