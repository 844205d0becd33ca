import { type Message, WaybillError } from "@waybill/core";
import { type OptionNames, parseMediaType, quoted, requireKnownOptions } from "@waybill/core/serializer";
import type { ReaderGuard } from "./reader-guard.js";
import { SteppedPlan } from "./stepped-plan.js";

/** A content type to write. */
export interface ContentTypeTarget {
  /** Set on the message exactly as given; the serializer of the pipeline that claims it writes the body. */
  readonly contentType: string;
}

/** The options of a {@link ContentTypePlan}. */
export interface ContentTypePlanOptions {
  /** What is written at 0 %. */
  readonly from: ContentTypeTarget;
  /** What is written at 100 %. */
  readonly to: ContentTypeTarget;
  /**
   * Which of the messages without a message type the plan applies to. Default: those without a content type, and those with the content type of
   * `from` or `to`.
   */
  readonly covers?: ((message: Message) => boolean) | undefined;
  /** Asks the readers before a share is raised. Without one, raising a share needs `override`. */
  readonly guard?: ReaderGuard | undefined;
  /** The key that decides: messages with the same key are written alike. Default: `sessionId`, else `partitionKey`, else `messageId`. */
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
 * A write plan for messages without a message type: it moves them from one content type to another, without versions. Like {@link WritePlan} it
 * begins at 0 %, is stable per key, and has a kill switch. Senders whose plans have the same name decide alike. Throws `configuration-invalid`
 * for an invalid content type.
 */
export class ContentTypePlan extends SteppedPlan<ContentTypeTarget> {
  /** As given to the constructor. */
  readonly name: string;
  readonly #covers: (message: Message) => boolean;

  /** Throws `TypeError` for an empty name or an unknown option. */
  constructor(name: string, options: ContentTypePlanOptions) {
    if (typeof name !== "string" || name === "") throw new TypeError("A content type plan needs a name.");
    requireKnownOptions("ContentTypePlan", options, optionNames);
    const { from, to, covers, guard, keyOf } = options;
    const source = resolveTarget(name, "from", from);
    const target = resolveTarget(name, "to", to);
    super({
      name,
      from: source,
      to: target,
      toText: target.contentType,
      keyOf,
      objections: (call) => guard?.objections(undefined, target, call),
    });
    const essences = [source, target].map(({ contentType }) => essenceOf(contentType));
    this.name = name;
    this.#covers = covers ?? (({ contentType }) => !contentType || essences.includes(essenceOf(contentType)));
  }

  /** Whether the plan applies to a message. */
  covers(message: Message): boolean {
    return this.#covers(message);
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
