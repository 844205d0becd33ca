import { LazyAbortController, underEither } from "@waybill/foundation";
import { WaybillError } from "../errors/error.js";

/**
 * What senders, receivers and rule managers of a transport share: they belong to one entity, are closed once, and make calls until then. A
 * transport extends it with its mapping of errors.
 */
export abstract class TransportPart {
  readonly entityPath: string;
  readonly #onClosed: (part: TransportPart) => void;
  readonly #closing = new LazyAbortController();

  /** `onClosed` is called when it is closed, with itself. */
  constructor(entityPath: string, onClosed: (part: TransportPart) => void) {
    this.entityPath = entityPath;
    this.#onClosed = onClosed;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#onClosed(this);
  }

  /** The error of a call on a closed object. */
  closedError(): WaybillError {
    return new WaybillError("closed", "The client, sender or receiver is closed.", {
      entityPath: this.entityPath,
    });
  }

  protected get isClosed(): boolean {
    return this.#closing.isAborted;
  }

  /** Turns anything the broker throws into a `WaybillError`. */
  protected abstract toError(error: unknown): WaybillError;

  /** Rejects with `not-supported`, for operations that the transport lacks. */
  protected unsupported(): Promise<never> {
    const text = "The transport does not support this operation.";
    return this.call(undefined, () => {
      throw new WaybillError("not-supported", text, { entityPath: this.entityPath });
    });
  }

  /** Like `call`, for work that waits: its signal aborts when the caller gives up or this is closed. */
  protected wait<Answer>(
    abortSignal: AbortSignal | undefined,
    work: (signal: AbortSignal) => Promise<Answer>,
  ): Promise<Answer> {
    return this.call(abortSignal, () => underEither(this.#closing.signal, abortSignal, work));
  }

  /** Makes a call, unless this is closed or the caller has given up, and maps what it throws. */
  protected async call<Answer>(
    abortSignal: AbortSignal | undefined,
    work: () => Answer | Promise<Answer>,
  ): Promise<Answer> {
    if (this.isClosed) throw this.closedError();
    if (abortSignal?.aborted)
      throw new WaybillError("aborted", "The operation was aborted.", { entityPath: this.entityPath });
    try {
      return await work();
    } catch (error) {
      const mapped = this.toError(error);
      throw mapped.code === "aborted" && this.isClosed ? this.closedError() : mapped;
    }
  }
}

/** The open parts of a transport, which closes them. */
export class TransportParts {
  readonly #open = new Set<TransportPart>();
  #isClosed = false;

  /** For the constructors of parts. */
  readonly forget = (part: TransportPart): void => void this.#open.delete(part);

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Closes the part with the others; at once if that has happened. */
  add<Part extends TransportPart>(part: Part): Part {
    if (this.#isClosed) void part.close();
    else this.#open.add(part);
    return part;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(Array.from(this.#open, (part) => part.close()));
  }
}
