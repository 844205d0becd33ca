import type { MessageId } from "../../message/message.js";
import type { UndeserializableEvent } from "../../message/undeserializable-event.js";
import type { ErrorSource, ProcessErrorArgs } from "./processor-options.js";

/** Reports an error to a `processError` handler and ignores its own errors. Resolves when the handler has finished; never rejects. */
export type ErrorReporter = (
  error: unknown,
  errorSource: ErrorSource,
  messageId?: MessageId,
  event?: UndeserializableEvent,
) => Promise<void>;

/** The reporter of a processor, or of one of its sessions. */
export function errorReporter(
  handlers: { processError(args: ProcessErrorArgs): Promise<void> | void },
  entityPath: string,
  sessionId: string | undefined,
): ErrorReporter {
  return async (error, errorSource, messageId, event) => {
    try {
      await handlers.processError({
        error,
        errorSource,
        entityPath,
        messageId,
        sessionId,
        rawMessage: event?.message,
        disposition: event?.disposition,
      });
    } catch {
      // There is no other handler for errors of `processError`.
    }
  };
}
