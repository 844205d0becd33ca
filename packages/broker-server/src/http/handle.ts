import type { Broker } from "@waybill/broker";
import type { Authorization } from "../authorization/claims.js";
import { authorize } from "./authorize.js";
import { control, parseControl } from "./control.js";
import { HttpRefusal } from "./error.js";
import { asksForHealth, tellHealth } from "./health.js";
import type { HttpClient, RequestMemory } from "./http-client.js";
import type { HttpRequest, HttpResponse } from "./http-request.js";
import { manage } from "./management/manage.js";
import { parseResource, scopeOf } from "./management/resource.js";
import { handleMessages, rightFor } from "./messages/handle-messages.js";
import { parseMessageRequest } from "./messages/message-resource.js";

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

/** Answers a request. Throws `BrokerError` or `HttpRefusal`, the same whether what it is about exists or not unless the client may know. */
export async function handle(context: HttpContext, request: HttpRequest): Promise<HttpResponse> {
  const { broker } = context;
  if (asksForHealth(request)) return tellHealth(broker);
  const controlled = parseControl(request.segments);
  if (controlled !== undefined) {
    authorize(context, request, controlled.path ?? "", "Manage");
    return await control(broker, controlled, request);
  }
  const messages = parseMessageRequest(request.method, request.segments);
  if (messages !== undefined) {
    authorize(context, request, messages.path, rightFor(messages));
    return await handleMessages(context, messages, request);
  }
  const resource = parseResource(request.segments);
  authorize(context, request, resource === undefined ? "" : scopeOf(resource), "Manage");
  if (resource === undefined) throw new HttpRefusal(404, "There is nothing at this address.");
  return await manage(context, request, resource);
}
