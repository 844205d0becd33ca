import { BrokerError } from "@waybill/broker";
import { authorize, isAuthorized } from "../authorize.js";
import type { HttpContext } from "../http-context.js";
import { HttpRefusal } from "../http-refusal.js";
import type { HttpRequest, HttpResponse } from "../http-request.js";
import { parseResource, type Resource, rightsTexts, scopeOf } from "../management/resource.js";
import { handleMessages } from "../messages/handle-messages.js";
import { parseMessageRequest } from "../messages/message-resource.js";
import { control, parseControl } from "./control.js";
import { asksForHealth, reportHealth } from "./health.js";

/** Handles a request. Throws `BrokerError` or `HttpRefusal`; to clients without rights, errors do not reveal whether an entity exists. */
export async function handle(context: HttpContext, request: HttpRequest): Promise<HttpResponse> {
  const { broker } = context;
  if (asksForHealth(request)) return reportHealth(broker);
  const controlled = parseControl(request.segments);
  if (controlled !== undefined) {
    authorize(context, request, controlled.path ?? "", ["Manage"]);
    return await control(broker, controlled, request);
  }
  const messages = parseMessageRequest(request.method, request.segments);
  if (messages !== undefined) return await handleMessages(context, messages, request);
  const resource = resourceOf(context, request);
  const scope = resource === undefined ? "" : scopeOf(resource);
  authorize(context, request, scope, ["Manage"], resource && rightsTexts(resource, request.method));
  if (resource === undefined) throw new HttpRefusal(404, "There is nothing at this address.");
  // Loaded on first use: the broker starts faster without the XML library.
  const { manage } = await import("../management/manage.js");
  return await manage(context, request, resource);
}

/** A queue or topic may have the address of a subscription; to clients without rights on it, it is a subscription that does not exist. */
function resourceOf(context: HttpContext, request: HttpRequest): Resource | undefined {
  const resource = parseResource(request.segments);
  if (resource?.kind !== "subscription") return resource;
  const path = request.segments.join("/");
  const isOther = isTopLevel(context, path) && isAuthorized(context, request, "Manage");
  return isOther ? { kind: "entity", path } : resource;
}

function isTopLevel({ broker }: HttpContext, path: string): boolean {
  try {
    return broker.getEntity(path).kind !== "subscription";
  } catch (error) {
    if (error instanceof BrokerError) return false;
    throw error;
  }
}
