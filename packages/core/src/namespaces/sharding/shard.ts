import type {
  TransportCreateBatchOptions,
  TransportMessageBatch,
  TransportSender,
} from "../../contracts/transport.js";
import { type ErrorCode, hasCode, type WaybillError } from "../../errors/error.js";

/** An empty batch of a namespace, or why there is none. */
export type PreparedBatch = { readonly batch: TransportMessageBatch } | { readonly error: unknown };

const outOfReach: readonly ErrorCode[] = ["connection-lost", "service-busy", "timeout"];

/** Whether a message that belongs to no namespace may go to another one after this error. */
export function isOutOfReach(error: unknown): error is WaybillError {
  return hasCode(error, ...outOfReach);
}

/** A queue or topic in one of several namespaces. */
export class Shard {
  readonly name: string;
  readonly sender: TransportSender;
  /** Empty batches of the usual size, so that an array needs no request to the namespaces that it does not concern. */
  readonly #spare: TransportMessageBatch[] = [];
  /** Why it is out of reach: nobody waits for it until it answers again. */
  #error: WaybillError | undefined;

  constructor(name: string, sender: TransportSender) {
    this.name = name;
    this.sender = sender;
  }

  async prepare(options: TransportCreateBatchOptions): Promise<PreparedBatch> {
    const spare = options.maxSizeInBytes === undefined ? this.#spare.pop() : undefined;
    if (spare !== undefined) return { batch: spare };
    if (this.#error === undefined) return await this.#create(options);
    void this.#create({}).then((created) => this.keep(created));
    return { error: this.#error };
  }

  /** Takes back an empty batch of the usual size. */
  keep(prepared: PreparedBatch): void {
    if ("batch" in prepared) this.#spare.push(prepared.batch);
  }

  async #create(options: TransportCreateBatchOptions): Promise<PreparedBatch> {
    try {
      const batch = await this.sender.createBatch(options);
      this.#error = undefined;
      return { batch };
    } catch (error) {
      if (isOutOfReach(error)) this.#error = error;
      return { error };
    }
  }
}
