import type { Broker } from "@waybill/broker";
import type { Authorization } from "../authorization/claims.js";
import type { HttpClient, RequestMemory } from "./http-client.js";

/** What handlers need to answer a request. */
export interface HttpContext {
  readonly broker: Broker;
  readonly authorization: Authorization;
  /** The name of the namespace. */
  readonly namespace: string;
  readonly client: HttpClient;
  /** Reports that a token is not valid, or that a right is missing. */
  onRefused(entity: string, reason: string): void;
  readonly memory: RequestMemory;
  /** Lets others work if the client's turn is over; awaited between slices of long work. */
  readonly pause: () => Promise<void>;
  /** Maximum number of messages in a batch. */
  readonly batchMessages: number;
}
