import { type Message, type MessageType, WaybillError } from "@waybill/core";
import type { WriteTarget } from "@waybill/core/pipeline";
import { type OptionNames, requireKnownOptions } from "@waybill/core/serializer";
import type { ReaderGuard } from "./reader-guard.js";
import { SteppedPlan } from "./stepped-plan.js";

/** A format and a version to write. */
export interface PlannedTarget extends WriteTarget {
  /** The name of a serializer of the pipeline. */
  readonly serializer: string;
  /** Default: the current version. */
  readonly version?: number | undefined;
}

/** The options of a {@link WritePlan}. */
export interface WritePlanOptions {
  /** What is written at 0 %. */
  readonly from: PlannedTarget;
  /** What is written at 100 %. */
  readonly to: PlannedTarget;
  /** Asks the readers before a share is raised. Without one, raising a share needs `override`. */
  readonly guard?: ReaderGuard | undefined;
  /** The key that decides: messages with the same key are written alike. Default: `sessionId`, else `partitionKey`, else `messageId`. */
  readonly keyOf?: ((message: Message) => string | Uint8Array | undefined) | undefined;
}

const optionNames: OptionNames<WritePlanOptions> = { from: true, to: true, guard: true, keyOf: true };

/**
 * Moves one message type from an old to a new format or version: all old, a percentage new, all new. Begins at 0 %. The same key always gets the
 * same format at the same percentage, and raising the percentage moves no key back to the old one. Pass it to `withWritePlans`. For messages
 * without a message type use {@link ContentTypePlan}.
 */
export class WritePlan extends SteppedPlan<PlannedTarget> {
  readonly messageType: MessageType;

  /** Throws `TypeError` for an unknown option, `configuration-invalid` for a version to which no downcasters lead. */
  constructor(messageType: MessageType, options: WritePlanOptions) {
    requireKnownOptions("WritePlan", options, optionNames);
    const { from, to, guard, keyOf } = options;
    const source = resolveTarget(messageType, from);
    const target = resolveTarget(messageType, to);
    super({
      name: messageType.name,
      from: source,
      to: target,
      toText: `${target.serializer} version ${target.version}`,
      keyOf,
      objections: (call) => guard?.objections(messageType, target, call),
    });
    this.messageType = messageType;
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
