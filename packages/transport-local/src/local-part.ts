import { closedError, throwIfAborted, toLocalError } from "./local-error.js";

/** What senders, receivers and rule managers share: they belong to one entity, are closed once, and call the broker. */
export abstract class LocalPart {
  readonly entityPath: string;
  readonly #onClosed: (part: LocalPart) => void;
  #isClosed = false;

  constructor(entityPath: string, onClosed: (part: LocalPart) => void) {
    this.entityPath = entityPath;
    this.#onClosed = onClosed;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#onClosed(this);
  }

  protected get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Calls the broker, unless this is closed or the caller has given up, and maps what it throws. */
  protected async call<Answer>(
    abortSignal: AbortSignal | undefined,
    work: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    try {
      if (this.#isClosed) throw closedError(this.entityPath);
      throwIfAborted(abortSignal, this.entityPath);
      return await work();
    } catch (error) {
      const mapped = toLocalError(error, this.entityPath);
      throw mapped.code === "aborted" && this.#isClosed ? closedError(this.entityPath) : mapped;
    }
  }
}
