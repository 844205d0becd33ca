/** What a path of the management API identifies. */
export type Resource =
  | { readonly kind: "namespace" }
  | { readonly kind: "list"; readonly of: "queue" | "topic" }
  | { readonly kind: "entity"; readonly path: string }
  | { readonly kind: "subscriptions"; readonly topic: string }
  | { readonly kind: "subscription"; readonly topic: string; readonly name: string }
  | { readonly kind: "rules"; readonly topic: string; readonly subscription: string }
  | { readonly kind: "rule"; readonly topic: string; readonly subscription: string; readonly name: string };

/** What a request can write. */
export type WritableResource = Extract<Resource, { kind: "entity" | "subscription" | "rule" }>;

/**
 * Parses the segments of a path: `/{queue or topic}`, `/{topic}/Subscriptions/{name}`, `…/Rules/{name}`, `/$Resources/Queues`,
 * `/$namespaceinfo`. Names of queues and topics may contain slashes. Undefined for other paths.
 */
export function parseResource(segments: readonly string[]): Resource | undefined {
  const [first = ""] = segments;
  if (segments.length === 0) return undefined;
  if (is(first, "$namespaceinfo")) return segments.length === 1 ? { kind: "namespace" } : undefined;
  if (is(first, "$resources")) return parseList(segments.slice(1));
  if (segments.some((segment) => segment.startsWith("$") && segment !== "$Default")) return undefined;
  const at = segments.findIndex((segment, index) => index > 0 && is(segment, "subscriptions"));
  if (at === -1) return { kind: "entity", path: segments.join("/") };
  const topic = segments.slice(0, at).join("/");
  const [subscription, rules, rule, more] = segments.slice(at + 1);
  if (subscription === undefined) return { kind: "subscriptions", topic };
  if (rules === undefined) return { kind: "subscription", topic, name: subscription };
  if (!is(rules, "rules") || more !== undefined) return undefined;
  if (rule === undefined) return { kind: "rules", topic, subscription };
  return { kind: "rule", topic, subscription, name: rule };
}

/** The entity on which a request needs rights: the topic for a subscription; the namespace, `""`, for lists. */
export function scopeOf(resource: Resource): string {
  switch (resource.kind) {
    case "namespace":
    case "list":
      return "";
    case "entity":
      return resource.path;
    default:
      return resource.topic;
  }
}

/** The names of the operations on a subscription or rule in the service's refusals. */
const operations: Readonly<Record<string, string>> = {
  GET: "Get",
  PUT: "CreateOrUpdate",
  DELETE: "Delete",
};

/** The service's texts for a client whose token is not valid, or lacks the right to do this. */
export function rightsTexts(resource: Resource, method: string) {
  return { invalid: "claim is empty or token is invalid.", missing: missingText(resource, method) };
}

function missingText(resource: Resource, method: string): string {
  const operation = operations[method] ?? "Get";
  switch (resource.kind) {
    case "subscriptions":
      return unauthorizedFor("EnumerateSubscriptions");
    case "rules":
      return unauthorizedFor("EnumerateRules");
    case "subscription":
      return unauthorizedFor(`${operation}Subscription`);
    case "rule":
      return unauthorizedFor(`${operation}Rule`);
    default:
      if (method === "PUT") return "Authorization failed for specified action: Manage,EntityWrite.";
      if (method === "DELETE") return "Authorization failed for specified action: Manage,EntityDelete.";
      return "Manage,EntityRead claims required for this operation.";
  }
}

function unauthorizedFor(operation: string): string {
  return `Unauthorized access for '${operation}' operation.`;
}

function parseList([kind, more]: readonly string[]): Resource | undefined {
  if (kind === undefined || more !== undefined) return undefined;
  if (is(kind, "queues")) return { kind: "list", of: "queue" };
  return is(kind, "topics") ? { kind: "list", of: "topic" } : undefined;
}

function is(segment: string, name: string): boolean {
  return segment.toLowerCase() === name;
}
