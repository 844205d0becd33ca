import type { DeliveredMessage } from "../contracts/transport.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { type Suggestion, suggestOption } from "./suggestion.js";

/** Traits name content types, which come from the wire: without a limit, a sender could fill the memory with new ones. */
const maxSuggestions = 1_000;

interface ReadWithSuggestion {
  readonly outcome: DeserializationOutcome;
  readonly suggestion?: Suggestion | undefined;
}

/** Reads messages with a pipeline, and counts them and the options that would let it read the undeserializable ones. */
export class Suggestions {
  readonly #pipeline: Pipeline;
  readonly #counted = new Map<string, Suggestion & { count: number }>();
  /** The messages that were read. */
  messageCount = 0;

  constructor(pipeline: Pipeline) {
    this.#pipeline = pipeline;
  }

  /** Reads a message. Resolves with the outcome, and the option that would let it be read; undefined if it was read, or there is none. */
  async read(message: DeliveredMessage): Promise<ReadWithSuggestion> {
    const outcome = await this.#pipeline.deserialize(message);
    this.messageCount++;
    if (outcome.status !== "undeserializable") return { outcome };
    const suggestion = await suggestOption(this.#pipeline, message, outcome);
    if (suggestion !== undefined) {
      const key = suggestion.trait + suggestion.option;
      const counted = this.#counted.get(key) ?? { ...suggestion, count: 0 };
      counted.count++;
      if (this.#counted.size < maxSuggestions) this.#counted.set(key, counted);
    }
    return { outcome, suggestion };
  }

  /** A sentence with the option that would make most undeserializable messages readable; undefined if there is none. */
  get advice(): string | undefined {
    const [most] = [...this.#counted.values()].toSorted((a, b) => b.count - a.count);
    if (most === undefined) return undefined;
    return `${most.count} of ${this.messageCount} messages ${most.trait}: ${most.option} ${most.isTried ? "would read them" : "may read them; it was not tried, because this client does not have it"}.`;
  }
}
