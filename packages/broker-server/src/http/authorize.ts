import type { Authorization } from "../authorization/claims.js";
import type { AccessRight } from "../authorization/shared-access-key.js";
import { grantForToken } from "../authorization/shared-access-key.js";
import { HttpRefusal } from "./error.js";
import type { HttpRequest } from "./http-request.js";

/**
 * Throws a refusal unless the token of a request grants one of the rights on what its path names. It says nothing about whether that
 * exists.
 */
export function authorize(
  authorization: Authorization,
  { headers, origin, segments }: HttpRequest,
  rights: readonly AccessRight[],
  nowMs: number,
): void {
  if (authorization.kind === "development") return;
  const token = headers.authorization;
  if (token === undefined)
    throw new HttpRefusal(401, "MissingToken: The request has no authorization header.");
  const audience = `${origin}/${segments.map(encodeURIComponent).join("/")}`;
  const grant = grantForToken(authorization.keys, token, audience, nowMs);
  if (grant === undefined) {
    throw new HttpRefusal(
      401,
      "InvalidSignature: The token has an invalid signature, is expired, or is not for this resource.",
    );
  }
  if (rights.some((right) => grant.rights.has(right))) return;
  throw new HttpRefusal(
    401,
    `Unauthorized access. '${rights.join("' or '")}' claim(s) are required to perform this operation.`,
  );
}
