import { requireKnownOptions } from "@waybill/foundation";
import type { Engine } from "../engine/engine.js";
import type { MessageStore } from "../entities/message-store.js";
import type { ReceiveMode } from "../entities/waiter.js";
import { type BrokerListSessionsOptions, listSessions } from "../operations/list-sessions.js";
import { MessageReceiver, type ReceiveSource } from "./message-receiver.js";

/** Options of a receiver. */
export interface BrokerReceiverOptions {
  /** Default `"peekLock"`. */
  readonly mode?: ReceiveMode | undefined;
}

/**
 * Receives from one queue, subscription or sub-queue without sessions. Locks belong to the entity: any receiver of it may settle a message,
 * and closing one settles nothing. On an entity with sessions it can only peek and list sessions, on a topic only peek at scheduled
 * messages.
 */
export class BrokerReceiver extends MessageReceiver {
  #source: ReceiveSource;

  /** Created by `Broker.receiver`. */
  constructor(engine: Engine, path: string, options: BrokerReceiverOptions) {
    requireKnownOptions("receiver", options, { mode: true });
    super(engine, path, options.mode ?? "peekLock");
    this.#source = sourceOf(engine.entities.peekSource(path));
  }

  /** Whether the entity requires sessions. Sub-queues never do. */
  get hasSessions(): boolean {
    return this.source().store.sessions !== undefined;
  }

  /** The ids of the entity's sessions; rejects with `not-allowed` for an entity without sessions. */
  async listSessions(options: BrokerListSessionsOptions = {}): Promise<string[]> {
    this.engine.begin();
    return await listSessions(this.source().store, options);
  }

  /** Closes the receiver's consumers. Messages stay locked until their locks expire. */
  close(): void {
    this.closeConsumers();
  }

  protected override source(): ReceiveSource {
    if (this.#source.store.owner.isDeleted) {
      this.#source = sourceOf(this.engine.entities.peekSource(this.path));
    }
    return this.#source;
  }
}

function sourceOf(store: MessageStore): ReceiveSource {
  return { store, lane: store.lane, sessionId: undefined };
}
