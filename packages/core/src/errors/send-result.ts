import type { WaybillError } from "./error.js";

/**
 * What happened to one message of a call: the broker has it (`sent`); it was in the batch that failed (`failed`), and after
 * `connection-lost`, `timeout` or `aborted` the broker may still have it; or the call ended before it was sent (`unsent`).
 */
export type SendResult =
  | (SentMessage & { readonly status: "sent" | "unsent" })
  | (SentMessage & { readonly status: "failed"; readonly error: WaybillError });

interface SentMessage {
  readonly messageId: string | number | bigint | Uint8Array | undefined;
}
