import type { Broker } from "@waybill/broker";
import { type EntityOwners, ownersIn } from "../authorization/owner.js";
import {
  type AccessRight,
  type Grant,
  grantForToken,
  type InvalidToken,
  invalidToken,
  isHidden,
  missingRights,
  type SharedAccessKey,
} from "../authorization/shared-access-key.js";
import { notFound } from "../refusals/error.js";
import type { HttpContext } from "./http-context.js";
import { HttpRefusal } from "./http-refusal.js";
import { type HttpRequest, urlOf } from "./http-request.js";

/** The headers in which SDKs send tokens for the entities that another one forwards to. */
const forwardTokens = {
  forwardTo: "servicebussupplementaryauthorization",
  forwardDeadLetteredMessagesTo: "servicebusdlqsupplementaryauthorization",
} as const;

/** A property that names another entity. */
export type Forward = keyof typeof forwardTokens;

/** The texts for a token that is not valid, and for one without the right. */
interface RefusalTexts {
  readonly invalid: string;
  readonly missing: string;
}

/**
 * Throws unless the token of a request covers its URL and grants one of the rights on the entity, `""` for the whole namespace. The error
 * does not reveal whether the entity exists. Throws `entity-not-found` for an entity that must look missing to the client.
 */
export function authorize(
  context: HttpContext,
  request: HttpRequest,
  entity: string,
  rights: readonly AccessRight[],
  { invalid, missing }: RefusalTexts = { invalid: invalidToken, missing: missingRights(rights) },
): void {
  const { broker, authorization, client } = context;
  if (authorization.kind === "development") {
    client.trust();
    return;
  }
  const token = tokenOf(request);
  if (token === undefined) {
    context.onRefused(entity, "the request has no token");
    throw new HttpRefusal(401, "MissingToken: The request has no authorization header.");
  }
  const url = urlOf(request.origin, request.segments);
  const grant = grantOf(broker, authorization.keys, { token, url, entity });
  if ("fault" in grant) {
    context.onRefused(entity, grant.fault);
    throw new HttpRefusal(401, invalid);
  }
  client.trust(grant.key);
  if (!hasRight(grant, rights)) {
    context.onRefused(entity, `the token has no right to ${rights.join(" or ")}`);
    throw new HttpRefusal(401, missing);
  }
  if (isHidden(grant, entity.toLowerCase(), ownersIn(context.broker))) throw notFound(entity);
}

/** Whether the token of a request grants a right on the entity that its URL names. */
export function isAuthorized(context: HttpContext, request: HttpRequest, right: AccessRight): boolean {
  const { broker, authorization } = context;
  if (authorization.kind === "development") return true;
  const { origin, segments } = request;
  const path = segments.join("/");
  const token = tokenOf(request) ?? "";
  const grant = grantOf(broker, authorization.keys, { token, url: urlOf(origin, segments), entity: path });
  if ("fault" in grant || !hasRight(grant, [right])) return false;
  return !isHidden(grant, path.toLowerCase(), ownersIn(context.broker));
}

/**
 * Throws unless a token of the request may send to an entity that another one is to forward to: its own, or the additional one that SDKs send.
 * The error does not reveal whether that entity exists.
 */
export function authorizeForward(
  context: HttpContext,
  request: HttpRequest,
  forward: Forward,
  target: string,
): void {
  const { broker, authorization } = context;
  if (authorization.kind === "development") return;
  const { origin, host } = request;
  const url = urlOf(origin, target.split("/"));
  const tokens = [tokenOf(request), request.headers[forwardTokens[forward]]];
  for (const token of tokens) {
    if (token === undefined) continue;
    const grant = grantOf(broker, authorization.keys, { token, url, entity: target, host });
    if ("fault" in grant || !hasRight(grant, ["Send"])) continue;
    if (isHidden(grant, target.toLowerCase(), ownersIn(context.broker))) throw notFound(target);
    return;
  }
  context.onRefused(target, "no token of the request has the right to Send to the entity to forward to");
  throw new HttpRefusal(401, `Authorization failed for specified action: Send. Resource: '${url}'.`);
}

function tokenOf({ headers }: HttpRequest): string | undefined {
  return headers.authorization ?? headers.servicebusauthorization;
}

function grantOf(
  broker: Broker,
  keys: readonly SharedAccessKey[],
  { token, url, entity, host }: { token: string; url: string; entity: string; host?: string },
): Grant | InvalidToken {
  return grantForToken(keys, token, {
    audience: url,
    nowMs: broker.clock.now(),
    owners: ownersOf(entity.toLowerCase(), ownersIn(broker)),
    ...(host !== undefined && { host }),
  });
}

/** A request's URL continues after the entity that it is about. */
function ownersOf(entity: string, owners: EntityOwners): EntityOwners {
  return {
    ...owners,
    ownerOf: () => owners.ownerOf(entity),
    apparentOwnerOf: () => owners.apparentOwnerOf(entity),
  };
}

function hasRight({ rights }: Grant, wanted: readonly AccessRight[]): boolean {
  return wanted.some((right) => rights.has(right));
}
