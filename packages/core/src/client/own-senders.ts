import type { Transport, TransportSender } from "../contracts/transport.js";

/** What the client itself sends to: the quarantine queue, and queues to which failed messages return later. One sender for each. */
export class OwnSenders {
  readonly #transport: Transport;
  readonly #senders = new Map<string, TransportSender>();
  #isClosed = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  to(queueOrTopic: string): TransportSender {
    let sender = this.#senders.get(queueOrTopic);
    if (sender === undefined) {
      sender = this.#transport.createSender(queueOrTopic);
      this.#senders.set(queueOrTopic, sender);
      // A handler that outlived the client sends nothing any more.
      if (this.#isClosed) sender.close().catch(() => {});
    }
    return sender;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#senders.values(), (sender) => sender.close()));
  }
}
