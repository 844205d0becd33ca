import { type Message, type MessageType, WaybillError } from "@waybill/core";
import type { WriteTarget } from "@waybill/core/pipeline";
import type { CallOptions } from "@waybill/core/transport";
import type { ReaderGuard } from "./reader-guard.js";
import { shareCount, shareOf, stableKey } from "./stable-share.js";

/** A format and a version to write. */
export interface PlannedTarget extends WriteTarget {
  /** The name of a serializer of the pipeline. */
  readonly serializer: string;
  /** Default: the current version. */
  readonly version?: number | undefined;
}

/** How one message type moves from one format or version to another. */
export interface WritePlanOptions {
  /** What is written at 0 %. */
  readonly from: PlannedTarget;
  /** What is written at 100 %. */
  readonly to: PlannedTarget;
  /** Asks the readers before a share is raised. Without one, raising a share needs `override`. */
  readonly guard?: ReaderGuard | undefined;
  /** What keeps messages together. Default: `sessionId`, else `partitionKey`, else `messageId`. */
  readonly keyOf?: ((message: Message) => string | Uint8Array | undefined) | undefined;
}

/** How a share is set. */
export interface SetPercentOptions extends CallOptions {
  /** Raises the share whatever the readers say. Default false. */
  readonly override?: boolean | undefined;
}

/** Where a plan stands. */
export type WritePlanPhase = "old" | "mixed" | "new";

/**
 * The plan by which one message type moves from an old to a new format or version: all old, a percentage new, all new. It begins at 0 %. The
 * same key always gets the same answer at the same percentage, and raising the percentage turns nobody back. `withWritePlans` puts it to
 * work.
 */
export class WritePlan {
  readonly messageType: MessageType;
  readonly from: PlannedTarget;
  readonly to: PlannedTarget;
  readonly #guard: ReaderGuard | undefined;
  readonly #keyOf: (message: Message) => string | Uint8Array | undefined;
  /** Of 10,000. */
  #shares = 0;
  #changes = 0;

  constructor(messageType: MessageType, options: WritePlanOptions) {
    this.messageType = messageType;
    this.from = resolveTarget(messageType, options.from);
    this.to = resolveTarget(messageType, options.to);
    this.#guard = options.guard;
    this.#keyOf = options.keyOf ?? stableKey;
  }

  /** How many of a hundred messages are written new. */
  get percent(): number {
    return (this.#shares * 100) / shareCount;
  }

  get phase(): WritePlanPhase {
    if (this.#shares === 0) return "old";
    return this.#shares === shareCount ? "new" : "mixed";
  }

  /** What to write a message as. */
  choose(message: Message): PlannedTarget {
    if (this.#shares === 0) return this.from;
    if (this.#shares === shareCount) return this.to;
    const key = this.#keyOf(message);
    const share = key === undefined ? Math.random() * shareCount : shareOf(this.messageType.name, key);
    return share < this.#shares ? this.to : this.from;
  }

  /**
   * Sets the share of the new format, from 0 to 100, two digits behind the point. Raising it asks the guard first and rejects with
   * `operation-invalid`, naming the readers that cannot read it yet, or when the plan was stopped in the meantime; the share then stays.
   */
  async setPercent(
    percent: number,
    { override = false, abortSignal }: SetPercentOptions = {},
  ): Promise<void> {
    if (typeof percent !== "number" || !(percent >= 0 && percent <= 100)) {
      throw new TypeError(`A share is a number of percent from 0 to 100, not ${String(percent)}.`);
    }
    const shares = Math.round((percent * shareCount) / 100);
    const change = ++this.#changes;
    if (shares > this.#shares && !override) {
      refuse(this, percent, await this.#objections(abortSignal));
      if (change !== this.#changes) refuse(this, percent, ["it was stopped or changed in the meantime"]);
    }
    this.#shares = shares;
  }

  /** The kill switch: from this moment everything is written old. Needs nobody's consent. */
  stop(): void {
    this.#changes += 1;
    this.#shares = 0;
  }

  /**
   * Asks the guard again and stops the plan when a reader is not able any more, for example after a roll-back. Resolves with the objections;
   * none when all is well. Call it at intervals while the plan is mixed or new.
   */
  async recheck(options: CallOptions = {}): Promise<readonly string[]> {
    const objections = await this.#objections(options.abortSignal);
    if (objections.length > 0) this.stop();
    return objections;
  }

  async #objections(abortSignal: AbortSignal | undefined): Promise<readonly string[]> {
    if (this.#guard === undefined) return ["no guard can tell whether every reader is able"];
    return this.#guard.objections(this.messageType, this.to, { abortSignal });
  }
}

function resolveTarget(
  type: MessageType,
  { serializer, version = type.version }: PlannedTarget,
): PlannedTarget {
  const known = type.versions.find((each) => each.version === version);
  if (known?.downcasts === undefined) {
    throw new WaybillError(
      "configuration-invalid",
      `"${type.name}" cannot be written as version ${version}: no downcasters lead there.`,
    );
  }
  return Object.freeze({ serializer, version });
}

function refuse({ messageType, to }: WritePlan, percent: number, objections: readonly string[]): void {
  if (objections.length === 0) return;
  throw new WaybillError(
    "operation-invalid",
    `"${messageType.name}" is not written as ${to.serializer} version ${to.version} at ${percent} %: ${objections.join("; ")}.`,
  );
}
