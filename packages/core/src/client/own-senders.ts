import type { TransportSender } from "../contracts/transport.js";

/** The client's own senders: to the quarantine queue, and to queues for retried messages. */
export class OwnSenders {
  readonly #create: (queueOrTopic: string) => TransportSender;
  readonly #senders = new Map<string, TransportSender>();
  #isClosed = false;

  constructor(create: (queueOrTopic: string) => TransportSender) {
    this.#create = create;
  }

  to(queueOrTopic: string): TransportSender {
    let sender = this.#senders.get(queueOrTopic);
    if (sender === undefined) {
      sender = this.#create(queueOrTopic);
      this.#senders.set(queueOrTopic, sender);
      // A handler that is still running after the client was closed must not send.
      if (this.#isClosed) sender.close().catch(() => {});
    }
    return sender;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#senders.values(), (sender) => sender.close()));
  }
}
