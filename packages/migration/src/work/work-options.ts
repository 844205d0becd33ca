import type { Pipeline, Transport } from "@waybill/core";
import type { CallOptions, DeliveredMessage } from "@waybill/core/transport";

/** The chain of a worker, which must be that of the jobs it works on. */
export type WorkPipeline = Pick<Pipeline, "deserialize" | "serialize" | "serializers"> &
  Partial<Pick<Pipeline, "messageTypes">>;

/** What everybody needs who works on shared work. */
export interface WorkOptions extends CallOptions {
  /** The connection to the namespace of the work queue and of the entities. */
  readonly transport: Transport;
  /** The chain, the same in all processes: a worker refuses jobs of another one. */
  readonly pipeline: WorkPipeline;
  /** A queue with sessions, for shared work alone. */
  readonly workQueue: string;
  /** Names the probable origin of a message, as in a census; give the same to all workers. Default: none. */
  readonly originOf?: ((message: DeliveredMessage) => string | undefined) | undefined;
  /** How many entities to work on at the same time. Default: 1. */
  readonly maxConcurrentItems?: number | undefined;
}
