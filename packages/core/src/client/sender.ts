import { checkMessage } from "../check-message.js";
import { isPromise } from "../deserialization/attempt.js";
import type { Pipeline } from "../deserialization/pipeline.js";
import { WaybillError } from "../error.js";
import type { EncodedMessage, Message } from "../message.js";
import type { Awaitable } from "../serializer.js";
import type { CallOptions, TransportSender } from "../transport.js";

/** What a sender works with. */
export interface SenderSettings {
  readonly sender: TransportSender;
  readonly pipeline: Pipeline;
  readonly onClosed: (sender: Sender) => void;
}

/**
 * Sends to one queue or topic. Every message of a call is checked and written before the first is sent, so that a message that cannot be
 * written never leaves half a batch behind; the error names it.
 */
export class Sender implements AsyncDisposable {
  readonly #settings: SenderSettings;
  readonly #sender: TransportSender;
  #closing: Promise<void> | undefined;

  constructor(settings: SenderSettings) {
    this.#settings = settings;
    this.#sender = settings.sender;
  }

  /** The queue or topic. */
  get entityPath(): string {
    return this.#sender.entityPath;
  }

  get isClosed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Sends one message or several, all or none. Rejects with `operation-invalid` for a property outside its limits, with
   * `serialization-failed` for a body that cannot be written.
   */
  async sendMessages(messages: Message | readonly Message[], options?: CallOptions): Promise<void> {
    const encoded = this.#serialize(toArray(messages), options);
    const settled = isPromise(encoded) ? await encoded : encoded;
    if (settled.length > 0) await this.#sender.send(settled, options);
  }

  /** Sends messages whose bodies are in wire form already, untouched: forwarded, resubmitted, or written by `pipeline.serialize`. */
  async sendEncodedMessages(
    messages: EncodedMessage | readonly EncodedMessage[],
    options?: CallOptions,
  ): Promise<void> {
    const checked = toArray(messages);
    checked.forEach((message, index) => {
      checkOutgoing(message, index, checked.length, this.entityPath);
      requireEncodedBody(message);
    });
    if (checked.length > 0) await this.#sender.send(checked, options);
  }

  /**
   * Schedules one message or several to become visible at an instant; resolves with their sequence numbers, by which they can be
   * cancelled until then.
   */
  async scheduleMessages(
    messages: Message | readonly Message[],
    scheduledEnqueueTimeUtc: Date,
    options?: CallOptions,
  ): Promise<bigint[]> {
    if (!(scheduledEnqueueTimeUtc instanceof Date) || Number.isNaN(scheduledEnqueueTimeUtc.getTime())) {
      throw new TypeError("scheduleMessages needs a valid Date.");
    }
    const encoded = await this.#serialize(toArray(messages), options);
    return encoded.length === 0 ? [] : this.#sender.schedule(encoded, scheduledEnqueueTimeUtc, options);
  }

  /** Cancels scheduled messages. Rejects with `message-not-found` if one is not scheduled any more. */
  async cancelScheduledMessages(
    sequenceNumbers: bigint | readonly bigint[],
    options?: CallOptions,
  ): Promise<void> {
    const numbers = typeof sequenceNumbers === "bigint" ? [sequenceNumbers] : sequenceNumbers;
    if (numbers.length > 0) await this.#sender.cancelScheduled(numbers, options);
  }

  /** Closes the sender; closing twice is harmless. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(): Promise<void> {
    this.#settings.onClosed(this);
    await this.#sender.close();
  }

  #serialize(
    messages: readonly Message[],
    options: CallOptions | undefined,
  ): Awaitable<readonly EncodedMessage[]> {
    const written: Awaitable<EncodedMessage>[] = [];
    let isWaiting = false;
    for (let index = 0; index < messages.length; index += 1) {
      const message = messages[index]!;
      checkOutgoing(message, index, messages.length, this.entityPath);
      const one = this.#serializeOne(message, index, messages.length, options);
      isWaiting ||= isPromise(one);
      written.push(one);
    }
    return isWaiting ? Promise.all(written) : (written as EncodedMessage[]);
  }

  #serializeOne(
    message: Message,
    index: number,
    count: number,
    options: CallOptions | undefined,
  ): Awaitable<EncodedMessage> {
    const { entityPath } = this;
    try {
      const written = this.#settings.pipeline.serialize(message, options);
      if (!isPromise(written)) return written;
      return (written as Promise<EncodedMessage>).catch((error: unknown) => {
        throw writeError(error, message, index, count, entityPath);
      });
    } catch (error) {
      throw writeError(error, message, index, count, entityPath);
    }
  }
}

function toArray<T extends object>(messages: T | readonly T[]): readonly T[] {
  return Array.isArray(messages) ? (messages as readonly T[]) : [messages as T];
}

function checkOutgoing(message: Message, index: number, count: number, entityPath: string): void {
  try {
    checkMessage(message, entityPath);
  } catch (error) {
    if (!(error instanceof WaybillError) || count === 1) throw error;
    throw writeError(error, message, index, count, entityPath);
  }
}

/** Says which message of the call it was: ids are often given by the broker, so the place in the call counts. */
function writeError(
  error: unknown,
  { messageId }: Message,
  index: number,
  count: number,
  entityPath: string,
): WaybillError {
  const beneath = WaybillError.from(error, "serialization-failed");
  const place = count === 1 ? "The message" : `Message ${index + 1} of ${count}`;
  return new WaybillError(beneath.code, `${place} cannot be sent, so nothing was. ${beneath.message}`, {
    entityPath,
    messageId,
    cause: error,
    ...(beneath.format === undefined ? {} : { format: beneath.format }),
    ...(beneath.stage === undefined ? {} : { stage: beneath.stage }),
  });
}

function requireEncodedBody({ body }: EncodedMessage): void {
  if (body instanceof Uint8Array) return;
  const section = (body as { section?: unknown } | null | undefined)?.section;
  if (section === "value" || (section === "sequence" && Array.isArray(body.value))) return;
  throw new TypeError(
    "sendEncodedMessages needs bodies in wire form: a Uint8Array, a value or a sequence section.",
  );
}
