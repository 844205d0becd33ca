import type { WaybillError } from "../error.js";
import type { MessageId } from "../message.js";

/**
 * What became of one message of a call: the broker has it (`sent`); it was with the batch that failed (`failed`), and after
 * `connection-lost`, `timeout` or `aborted` may have arrived all the same; or the call ended before its turn (`unsent`).
 */
export type SendResult =
  | { readonly status: "sent" | "unsent"; readonly messageId: MessageId | undefined }
  | { readonly status: "failed"; readonly messageId: MessageId | undefined; readonly error: WaybillError };
