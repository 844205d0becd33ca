import type { WaybillError } from "./error.js";

/**
 * What became of one message of a call: the broker has it (`sent`); it was with the batch that failed (`failed`), and after
 * `connection-lost`, `timeout` or `aborted` may have arrived all the same; or the call ended before its turn (`unsent`).
 */
export type SendResult =
  | (SentMessage & { readonly status: "sent" | "unsent" })
  | (SentMessage & { readonly status: "failed"; readonly error: WaybillError });

interface SentMessage {
  readonly messageId: string | number | bigint | Uint8Array | undefined;
}
