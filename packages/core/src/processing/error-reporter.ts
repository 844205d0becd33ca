import type { MessageId } from "../message/message.js";
import type { UndeserializableEvent } from "../message/undeserializable-event.js";
import type { ErrorSource, ProcessErrorArgs } from "./processor-options.js";

/** Reports errors to a `processError` handler and ignores its own errors. */
export class ErrorReporter {
  readonly #processError: (args: ProcessErrorArgs) => Promise<void> | void;
  readonly #entityPath: string;
  readonly #sessionId: string | undefined;

  constructor(
    processError: (args: ProcessErrorArgs) => Promise<void> | void,
    entityPath: string,
    sessionId: string | undefined,
  ) {
    this.#processError = processError;
    this.#entityPath = entityPath;
    this.#sessionId = sessionId;
  }

  /** Resolves when the handler has finished; never rejects. */
  async report(
    error: unknown,
    errorSource: ErrorSource,
    messageId?: MessageId,
    event?: UndeserializableEvent,
    sessionId = this.#sessionId,
  ): Promise<void> {
    try {
      await this.#processError({
        error,
        errorSource,
        entityPath: this.#entityPath,
        messageId,
        sessionId,
        rawMessage: event?.message,
        disposition: event?.disposition,
      });
    } catch {
      // There is no other handler for errors of `processError`.
    }
  }
}
