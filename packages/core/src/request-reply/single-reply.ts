import type { WaybillError } from "../errors/error.js";
import type { ReceivedMessage } from "../message/message.js";
import type { ReplyListener } from "./pending-request.js";

/** Waits for the first reply to a request. */
export class SingleReply implements ReplyListener {
  readonly #resolve: (reply: ReceivedMessage) => void;
  readonly #reject: (error: unknown) => void;

  constructor(resolve: (reply: ReceivedMessage) => void, reject: (error: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  take(reply: ReceivedMessage): "last" {
    this.#resolve(reply);
    return "last";
  }

  takeUndeserializable(error: WaybillError): "last" {
    this.#reject(error);
    return "last";
  }

  expire(error: WaybillError): void {
    this.#reject(error);
  }

  fail(error: unknown): void {
    this.#reject(error);
  }
}
