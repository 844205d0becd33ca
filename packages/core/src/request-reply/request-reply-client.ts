import type { Scheduler } from "@waybill/foundation";
import type { UndecodedMessage } from "../message/message.js";
import type { Receiver } from "../receive/receiver/receiver.js";
import type { AcceptSessionReceiverOptions } from "../receive/receiver/receiver-options.js";
import type { Sender } from "../sending/sender.js";
import type { Requester } from "./requester.js";

/** Where replies are received: a queue or a topic's subscription. */
export interface ReplyEntity {
  readonly queueOrTopic: string;
  readonly subscription: string | undefined;
}

/** The part of the client that request/reply uses. */
export interface RequestReplyClient {
  readonly scheduler: Scheduler;
  /** The host of the namespace, if the transport knows it. */
  readonly fullyQualifiedNamespace: string | undefined;
  /** Throws a `closed` error once the client is closed. */
  requireOpen(): void;
  createSender(queueOrTopic: string): Sender;
  createReceiver(entity: ReplyEntity): Receiver<UndecodedMessage>;
  acceptSession(
    entity: ReplyEntity,
    sessionId: string,
    options: AcceptSessionReceiverOptions,
  ): Promise<Receiver<UndecodedMessage>>;
  /** Adds a requester to close with the client. */
  add(requester: Requester): Requester;
  /** Removes a requester that has closed itself. */
  forget(requester: Requester): void;
}
