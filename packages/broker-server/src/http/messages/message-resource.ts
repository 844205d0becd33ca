/** A parsed request about messages. */
export type MessageRequest =
  | { readonly verb: "send" | "lock" | "receive"; readonly path: string }
  | { readonly verb: "complete" | "unlock" | "renew"; readonly path: string; readonly lockToken: string };

const token = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

const headVerbs = { POST: "lock", DELETE: "receive" } as const;
const lockedVerbs = { DELETE: "complete", PUT: "unlock", POST: "renew" } as const;

/**
 * Parses `/{entity}/messages`, `…/messages/head` and `…/messages/{message id or sequence number}/{lock token}`, where the entity may be a
 * subscription or a sub-queue. Undefined for other paths or methods: entity names may contain such segments too. Source: "Service Bus
 * runtime REST".
 */
export function parseMessageRequest(method: string, segments: readonly string[]): MessageRequest | undefined {
  const end = segments.length;
  if (method === "POST" && is(segments[end - 1], "messages")) return named("send", segments.slice(0, -1));
  if (is(segments[end - 2], "messages") && is(segments[end - 1], "head") && method in headVerbs) {
    return named(headVerbs[method as keyof typeof headVerbs], segments.slice(0, -2));
  }
  const lockToken = segments[end - 1] ?? "";
  if (!is(segments[end - 3], "messages") || !token.test(lockToken) || !(method in lockedVerbs))
    return undefined;
  const verb = lockedVerbs[method as keyof typeof lockedVerbs];
  const path = segments.slice(0, -3).join("/");
  return path === "" ? undefined : { verb, path, lockToken };
}

function named(verb: "send" | "lock" | "receive", segments: readonly string[]): MessageRequest | undefined {
  return segments.length === 0 ? undefined : { verb, path: segments.join("/") };
}

function is(segment: string | undefined, name: string): boolean {
  return segment?.toLowerCase() === name;
}
