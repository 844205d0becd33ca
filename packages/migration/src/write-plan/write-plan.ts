import { type Message, type MessageType, WaybillError } from "@waybill/core";
import type { WriteTarget } from "@waybill/core/pipeline";
import { type OptionNames, requireKnownOptions } from "@waybill/core/serializer";
import type { CallOptions } from "@waybill/core/transport";
import { PlanShare, type SetPercentOptions, unguarded, type WritePlanPhase } from "./plan-share.js";
import type { ReaderGuard } from "./reader-guard.js";

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

const optionNames: OptionNames<WritePlanOptions> = {
  from: true,
  to: true,
  guard: true,
  keyOf: true,
};

/**
 * The plan by which one message type moves from an old to a new format or version: all old, a percentage new, all new. It begins at 0 %. The
 * same key always gets the same answer at the same percentage, and raising the percentage turns nobody back. `withWritePlans` puts it to
 * work. Messages without a message type have a {@link ContentTypePlan}.
 */
export class WritePlan {
  readonly messageType: MessageType;
  readonly from: PlannedTarget;
  readonly to: PlannedTarget;
  readonly #share: PlanShare;

  constructor(messageType: MessageType, options: WritePlanOptions) {
    requireKnownOptions("WritePlan", options, optionNames);
    const { guard, keyOf } = options;
    this.messageType = messageType;
    this.from = resolveTarget(messageType, options.from);
    this.to = resolveTarget(messageType, options.to);
    this.#share = new PlanShare({
      name: messageType.name,
      target: `${this.to.serializer} version ${this.to.version}`,
      keyOf,
      objections: async (call) => guard?.objections(messageType, this.to, call) ?? unguarded,
    });
  }

  /** How many of a hundred messages are written new. */
  get percent(): number {
    return this.#share.percent;
  }

  get phase(): WritePlanPhase {
    return this.#share.phase;
  }

  /** What to write a message as. */
  choose(message: Message): PlannedTarget {
    return this.#share.includes(message) ? this.to : this.from;
  }

  /**
   * Sets the share of the new format, from 0 to 100, two digits behind the point. Raising it asks the guard first and rejects with
   * `operation-invalid`, naming the readers that cannot read it yet, or when the plan was stopped in the meantime; the share then stays.
   */
  setPercent(percent: number, options?: SetPercentOptions): Promise<void> {
    return this.#share.setPercent(percent, options);
  }

  /** The kill switch: from this moment everything is written old. Needs nobody's consent. */
  stop(): void {
    this.#share.stop();
  }

  /**
   * Asks the guard again and stops the plan when a reader is not able any more, for example after a roll-back. Resolves with the objections;
   * none when all is well. Call it at intervals while the plan is mixed or new.
   */
  recheck(options?: CallOptions): Promise<readonly string[]> {
    return this.#share.recheck(options);
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
