import { ownersIn } from "../authorization/owner.js";
import {
  type AccessRight,
  grantForToken,
  INVALID_TOKEN,
  missingRights,
} from "../authorization/shared-access-key.js";
import type { HttpContext } from "./http-context.js";
import { HttpRefusal } from "./http-refusal.js";
import type { HttpRequest } from "./http-request.js";

/**
 * Throws unless the token of a request covers its URL and grants one of the rights on the entity, `""` for the whole namespace. The error
 * does not reveal whether the entity exists.
 */
export function authorize(
  { broker, authorization, client }: HttpContext,
  { headers, origin, segments }: HttpRequest,
  entity: string,
  ...rights: readonly AccessRight[]
): void {
  if (authorization.kind === "development") {
    client.trust();
    return;
  }
  const token = headers.authorization ?? headers.servicebusauthorization;
  if (token === undefined)
    throw new HttpRefusal(401, "MissingToken: The request has no authorization header.");
  const audience = `${origin}/${segments.map(encodeURIComponent).join("/")}`;
  const grant = grantForToken(authorization.keys, token, audience, broker.clock.now(), () =>
    ownersIn(broker)(entity.toLowerCase()),
  );
  if (grant === undefined) throw new HttpRefusal(401, INVALID_TOKEN);
  client.trust(grant.key);
  if (!rights.some((right) => grant.rights.has(right))) throw new HttpRefusal(401, missingRights(rights));
}
