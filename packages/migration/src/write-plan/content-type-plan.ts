import { type Message, WaybillError } from "@waybill/core";
import { type OptionNames, parseMediaType, quoted, requireKnownOptions } from "@waybill/core/serializer";
import type { CallOptions } from "@waybill/core/transport";
import { PlanShare, type SetPercentOptions, unguarded, type WritePlanPhase } from "./plan-share.js";
import type { ReaderGuard } from "./reader-guard.js";

/** A content type to write. */
export interface ContentTypeTarget {
  /** Set on the message as it stands here; the serializer of the pipeline that claims it writes the body. */
  readonly contentType: string;
}

/** How messages without a message type move from one content type to another. */
export interface ContentTypePlanOptions {
  /** What is written at 0 %. */
  readonly from: ContentTypeTarget;
  /** What is written at 100 %. */
  readonly to: ContentTypeTarget;
  /**
   * Which messages the plan is for, of those that have no message type. Default: those without a content type, and those with the content
   * type of `from` or `to`.
   */
  readonly covers?: ((message: Message) => boolean) | undefined;
  /** Asks the readers before a share is raised. Without one, raising a share needs `override`. */
  readonly guard?: ReaderGuard | undefined;
  /** What keeps messages together. Default: `sessionId`, else `partitionKey`, else `messageId`. */
  readonly keyOf?: ((message: Message) => string | Uint8Array | undefined) | undefined;
}

const optionNames: OptionNames<ContentTypePlanOptions> = {
  from: true,
  to: true,
  covers: true,
  guard: true,
  keyOf: true,
};

/**
 * A write plan for messages without a message type: it goes by content types alone, and bodies are written as they are given. Like
 * {@link WritePlan} it begins at 0 %, is stable per key, and has a kill switch. Senders whose plans have the same name decide alike. Throws
 * `configuration-invalid` for a content type that is none.
 */
export class ContentTypePlan {
  readonly name: string;
  readonly from: ContentTypeTarget;
  readonly to: ContentTypeTarget;
  readonly #covers: (message: Message) => boolean;
  readonly #share: PlanShare;

  constructor(name: string, options: ContentTypePlanOptions) {
    if (typeof name !== "string" || name === "") throw new TypeError("A content type plan needs a name.");
    requireKnownOptions("ContentTypePlan", options, optionNames);
    const { guard, keyOf } = options;
    this.name = name;
    this.from = resolveTarget(name, "from", options.from);
    this.to = resolveTarget(name, "to", options.to);
    const essences = [this.from, this.to].map(({ contentType }) => essenceOf(contentType));
    this.#covers =
      options.covers ?? (({ contentType }) => !contentType || essences.includes(essenceOf(contentType)));
    this.#share = new PlanShare({
      name,
      target: this.to.contentType,
      keyOf,
      objections: async (call) => guard?.objections(undefined, this.to, call) ?? unguarded,
    });
  }

  /** How many of a hundred messages are written new. */
  get percent(): number {
    return this.#share.percent;
  }

  get phase(): WritePlanPhase {
    return this.#share.phase;
  }

  /** Whether the plan is for a message. */
  covers(message: Message): boolean {
    return this.#covers(message);
  }

  /** What to write a message as. */
  choose(message: Message): ContentTypeTarget {
    return this.#share.includes(message) ? this.to : this.from;
  }

  /** Sets the share of the new content type, from 0 to 100, as {@link WritePlan.setPercent} does. */
  setPercent(percent: number, options?: SetPercentOptions): Promise<void> {
    return this.#share.setPercent(percent, options);
  }

  /** The kill switch: from this moment everything is written old. Needs nobody's consent. */
  stop(): void {
    this.#share.stop();
  }

  /** Asks the guard again, as {@link WritePlan.recheck} does, and stops the plan when a reader is not able any more. */
  recheck(options?: CallOptions): Promise<readonly string[]> {
    return this.#share.recheck(options);
  }
}

function resolveTarget(
  plan: string,
  end: "from" | "to",
  target: ContentTypeTarget | undefined,
): ContentTypeTarget {
  const contentType = target?.contentType;
  if (typeof contentType === "string" && essenceOf(contentType) !== undefined)
    return Object.freeze({ contentType });
  throw new WaybillError(
    "configuration-invalid",
    `The write plan "${plan}" needs a content type in ${end}.contentType, such as "application/json"; got ` +
      `${typeof contentType === "string" ? quoted(contentType) : typeof contentType}.`,
  );
}

function essenceOf(contentType: string): string | undefined {
  return parseMediaType(contentType)?.essence;
}
