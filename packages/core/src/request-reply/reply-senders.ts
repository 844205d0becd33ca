import type { CallOptions } from "../contracts/transport.js";
import type { Message } from "../message/message.js";
import type { Sender } from "../sending/sender.js";

/** How many senders are kept: `replyTo` comes from the wire, and may name another entity every time. */
const maxSenders = 64;

interface KeptSender {
  readonly sender: Sender;
  sending: number;
  isDropped: boolean;
}

/** Sends one client's requests and replies, keeping a sender for each of the entities used last. */
export class ReplySenders {
  readonly #create: (queueOrTopic: string) => Sender;
  readonly #kept = new Map<string, KeptSender>();

  constructor(create: (queueOrTopic: string) => Sender) {
    this.#create = create;
  }

  /** Sends a message; rejects as `sendMessages` does. */
  async send(queueOrTopic: string, message: Message, options: CallOptions): Promise<void> {
    const kept = this.#keep(queueOrTopic);
    kept.sending += 1;
    try {
      await kept.sender.sendMessages(message, options);
    } finally {
      kept.sending -= 1;
      if (kept.isDropped) closeIdle(kept);
    }
  }

  #keep(queueOrTopic: string): KeptSender {
    const kept = this.#kept.get(queueOrTopic) ?? {
      sender: this.#create(queueOrTopic),
      sending: 0,
      isDropped: false,
    };
    // Put last: the first is the one that was not used for longest.
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

/** A failure to close concerns nobody: there is nothing left to send. */
function closeIdle({ sender, sending }: KeptSender): void {
  if (sending === 0) void sender.close().catch(() => {});
}
