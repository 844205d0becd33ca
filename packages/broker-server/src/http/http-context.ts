import type { Broker } from "@waybill/broker";
import type { Authorization } from "../authorization/claims.js";
import type { HttpClient, RequestMemory } from "./http-client.js";

/** What a request is answered with. */
export interface HttpContext {
  readonly broker: Broker;
  readonly authorization: Authorization;
  /** The name of the namespace. */
  readonly namespace: string;
  readonly client: HttpClient;
  readonly memory: RequestMemory;
  /** How many messages a batch may have. */
  readonly batchMessages: number;
}
