import { cut } from "@waybill/foundation";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { looksLike } from "../recognition/looks-like.js";
import { originText } from "../recognition/origin-of.js";
import type { RehearsalGroup, RehearsalReport } from "./rehearsal-report.js";
import { type Suggestion, suggestOption } from "./suggestion.js";

/** Labels come from the wire: without limits, a sender could fill the memory with new ones. */
const maxGroups = 1_000;
const maxLabelLength = 256;

type Counts = Omit<RehearsalReport, "entityPath" | "isWhole" | "answer" | "missing">;

/** Counts the outcomes of reading messages with a pipeline. */
export class RehearsalTally {
  readonly #pipeline: Pipeline;
  readonly #groups = new Map<string, Mutable<RehearsalGroup>>();
  readonly #traits = new Map<string, Suggestion & { count: number }>();
  readonly #counts = { decoded: 0, undeserializable: 0, unavailable: 0 };

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline;
  }

  get messageCount(): number {
    const { decoded, undeserializable, unavailable } = this.#counts;
    return decoded + undeserializable + unavailable;
  }

  /** Reads a message and counts it; resolves with its outcome. */
  async read(message: DeliveredMessage): Promise<DeserializationOutcome> {
    const outcome = await this.#pipeline.deserialize(message);
    await this.add(message, outcome);
    return outcome;
  }

  /** Counts a message that was read. */
  async add(message: DeliveredMessage, outcome: DeserializationOutcome): Promise<void> {
    this.#counts[outcome.status]++;
    const suggestion =
      outcome.status === "undeserializable"
        ? await suggestOption(this.#pipeline, message, outcome)
        : undefined;
    const origin = looksLike(outcome);
    if (suggestion !== undefined) this.#note(suggestion);
    this.#count({
      contentType: label(outcome.report.contentType),
      messageType: label(outcome.report.messageType ?? message.subject),
      reader: outcome.report.serializer,
      outcome: outcome.status,
      reason: outcome.status === "undeserializable" ? outcome.reason : undefined,
      suggestion: suggestion?.option,
      isTried: suggestion?.isTried === true,
      looksLike: origin && originText(origin),
      messageCount: 1,
      firstSequenceNumber: message.sequenceNumber,
    });
  }

  toCounts(): Counts {
    const { decoded, undeserializable, unavailable } = this.#counts;
    return {
      messageCount: this.messageCount,
      decodedCount: decoded,
      undeserializableCount: undeserializable,
      unavailableCount: unavailable,
      groups: [...this.#groups.values()].toSorted((a, b) => b.messageCount - a.messageCount),
      advice: this.advice,
    };
  }

  /** A sentence with the option that would make most undeserializable messages readable; undefined if there is none. */
  get advice(): string | undefined {
    const [most] = [...this.#traits.values()].toSorted((a, b) => b.count - a.count);
    if (most === undefined) return undefined;
    return `${most.count} of ${this.messageCount} messages ${most.trait}: ${most.option} ${most.isTried ? "would read them" : "may read them; it was not tried, because this client does not have it"}.`;
  }

  #note(suggestion: Suggestion): void {
    const key = JSON.stringify([suggestion.trait, suggestion.option]);
    const noted = this.#traits.get(key);
    if (noted !== undefined) noted.count++;
    else if (this.#traits.size < maxGroups) this.#traits.set(key, { ...suggestion, count: 1 });
  }

  #count(group: Mutable<RehearsalGroup>): void {
    const other = {
      ...group,
      contentType: "(other)",
      messageType: "(other)",
      suggestion: undefined,
      isTried: false,
      looksLike: undefined,
    };
    const isOther = this.#groups.size >= maxGroups && !this.#groups.has(keyOf(group));
    const counted = isOther ? other : group;
    const known = this.#groups.get(keyOf(counted));
    if (known === undefined) this.#groups.set(keyOf(counted), counted);
    else known.messageCount++;
  }
}

type Mutable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

function keyOf(group: RehearsalGroup): string {
  const { contentType, messageType, reader, outcome, reason, suggestion, looksLike } = group;
  return JSON.stringify([contentType, messageType, reader, outcome, reason, suggestion, looksLike]);
}

function label(text: string | undefined): string | undefined {
  return text === undefined ? undefined : cut(text, maxLabelLength);
}
