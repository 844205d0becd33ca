import type { ReceiveMode } from "../contracts/transport.js";
import type { Receiver } from "../receiving/receiver.js";
import type { AcceptSessionReceiverOptions, UndecodedIn } from "../receiving/receiver-options.js";
import type { Sender } from "../sending/sender.js";

/** The part of the client that request/reply uses. */
export interface RequestReplyClient {
  createSender(queueOrTopic: string): Sender;
  createReceiver(queue: string): Receiver;
  createReceiver(topic: string, subscription: string): Receiver;
  acceptSession<Mode extends ReceiveMode = "peekLock">(
    queue: string,
    sessionId: string,
    options?: AcceptSessionReceiverOptions<Mode>,
  ): Promise<Receiver<UndecodedIn<Mode>>>;
  acceptSession<Mode extends ReceiveMode = "peekLock">(
    topic: string,
    subscription: string,
    sessionId: string,
    options?: AcceptSessionReceiverOptions<Mode>,
  ): Promise<Receiver<UndecodedIn<Mode>>>;
}
