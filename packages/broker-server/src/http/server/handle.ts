import { authorize } from "../authorize.js";
import type { HttpContext } from "../http-context.js";
import { HttpRefusal } from "../http-refusal.js";
import type { HttpRequest, HttpResponse } from "../http-request.js";
import { parseResource, scopeOf } from "../management/resource.js";
import { handleMessages, rightFor } from "../messages/handle-messages.js";
import { parseMessageRequest } from "../messages/message-resource.js";
import { control, parseControl } from "./control.js";
import { asksForHealth, reportHealth } from "./health.js";

/** Handles a request. Throws `BrokerError` or `HttpRefusal`; to clients without rights, errors do not reveal whether an entity exists. */
export async function handle(context: HttpContext, request: HttpRequest): Promise<HttpResponse> {
  const { broker } = context;
  if (asksForHealth(request)) return reportHealth(broker);
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
  // Loaded on first use: the broker starts faster without the XML library.
  const { manage } = await import("../management/manage.js");
  return await manage(context, request, resource);
}
