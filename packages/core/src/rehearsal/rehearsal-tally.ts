import { cut } from "@waybill/foundation";
import type { DeliveredMessage } from "../contracts/transport.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { looksLike } from "../recognition/looks-like.js";
import { originText } from "../recognition/origin-of.js";
import type { RehearsalGroup, RehearsalReport } from "./rehearsal-report.js";
import { Suggestions } from "./suggestions.js";

/** Labels come from the wire: without limits, a sender could fill the memory with new ones. */
const maxGroups = 1_000;
const maxLabelLength = 256;

type Counts = Omit<RehearsalReport, "entityPath" | "isWhole" | "answer" | "missing">;

/** Reads messages with a pipeline, and counts what became of them. */
export class RehearsalTally {
  readonly #suggestions: Suggestions;
  readonly #groups = new Map<string, Mutable<RehearsalGroup>>();
  readonly #counts = { decodedCount: 0, undeserializableCount: 0, unavailableCount: 0 };

  constructor(pipeline: Pipeline) {
    this.#suggestions = new Suggestions(pipeline);
  }

  get messageCount(): number {
    return this.#suggestions.messageCount;
  }

  /** Reads a message and counts it. */
  async read(message: DeliveredMessage): Promise<void> {
    const { outcome, suggestion } = await this.#suggestions.read(message);
    this.#counts[`${outcome.status}Count`]++;
    const origin = looksLike(outcome);
    this.#count({
      contentType: label(outcome.report.contentType),
      messageType: label(outcome.report.messageType ?? message.subject),
      reader: outcome.report.serializer,
      outcome: outcome.status,
      reason: "reason" in outcome ? outcome.reason : undefined,
      suggestion: suggestion?.option,
      isTried: suggestion?.isTried ?? false,
      looksLike: origin && originText(origin),
      messageCount: 0,
      firstSequenceNumber: message.sequenceNumber,
    });
  }

  toCounts(): Counts {
    return {
      messageCount: this.messageCount,
      ...this.#counts,
      groups: [...this.#groups.values()].toSorted((a, b) => b.messageCount - a.messageCount),
      advice: this.#suggestions.advice,
    };
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
    const key = keyOf(counted);
    const known = this.#groups.get(key) ?? counted;
    known.messageCount++;
    this.#groups.set(key, known);
  }
}

type Mutable<Type> = { -readonly [Name in keyof Type]: Type[Name] };

function keyOf(group: RehearsalGroup): string {
  return JSON.stringify({ ...group, messageCount: undefined, firstSequenceNumber: undefined });
}

function label(text: string | undefined): string | undefined {
  return text && cut(text, maxLabelLength);
}
