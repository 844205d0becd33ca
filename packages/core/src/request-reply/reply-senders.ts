import type { CallOptions } from "../contracts/transport.js";
import type { Message } from "../message/message.js";
import type { Sender } from "../sending/sender.js";

/** How many senders are kept; bounded because `replyTo` comes from the wire and may differ every time. */
const maxSenders = 64;

interface KeptSender {
  readonly sender: Sender;
  sending: number;
  isDropped: boolean;
}

/** Sends one client's requests and replies, and keeps the senders of the entities used last. */
export class ReplySenders {
  readonly #create: (queueOrTopic: string) => Sender;
  readonly #kept = new Map<string, KeptSender>();

  constructor(create: (queueOrTopic: string) => Sender) {
    this.#create = create;
  }

  /** Sends a message; rejects like `sendMessages`. */
  async send(queueOrTopic: string, message: Message, options: CallOptions): Promise<void> {
    const kept = this.#keep(queueOrTopic);
    kept.sending++;
    try {
      await kept.sender.sendMessages(message, options);
    } finally {
      kept.sending--;
      if (kept.isDropped) closeIdle(kept);
    }
  }

  #keep(queueOrTopic: string): KeptSender {
    const kept = this.#kept.get(queueOrTopic) ?? {
      sender: this.#create(queueOrTopic),
      sending: 0,
      isDropped: false,
    };
    // Moved to the end, so that the first is the least recently used.
    this.#kept.delete(queueOrTopic);
    this.#kept.set(queueOrTopic, kept);
    if (this.#kept.size > maxSenders) this.#dropOldest();
    return kept;
  }

  #dropOldest(): void {
    const [oldest] = this.#kept;
    if (oldest === undefined) return;
    const [queueOrTopic, kept] = oldest;
    this.#kept.delete(queueOrTopic);
    kept.isDropped = true;
    closeIdle(kept);
  }
}

/** Errors of closing are ignored, because nothing is left to send. */
function closeIdle({ sender, sending }: KeptSender): void {
  if (sending === 0) void sender.close().catch(() => {});
}
