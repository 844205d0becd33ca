import type {
  EntityDescription,
  QueueOptions,
  RuleDescription,
  SubscriptionOptions,
  TopicOptions,
} from "@waybill/broker";
import { authorizeForward } from "../authorize.js";
import type { HttpContext } from "../http-context.js";
import { HttpRefusal } from "../http-refusal.js";
import type { HttpRequest } from "../http-request.js";
import { parseXml, type XmlElement } from "../parse-xml.js";
import { descriptionIn } from "./atom.js";
import { entityKinds, fromEntityXml } from "./entity-xml.js";
import { isNotFound, ruleOf, subscriptionOf, topLevelOf } from "./find-entity.js";
import { versionOf } from "./page.js";
import type { Resource, WritableResource } from "./resource.js";
import { fromRuleXml } from "./rule-xml.js";
import { missingForUpdate } from "./service-refusal.js";

/** Descriptions of entities have a few kilobytes, correlation filters up to 64 KiB besides their markup. */
const maxBodyBytes = 256 * 1024;

/** A request to create an entity or rule or, with the header `If-Match`, to replace it. */
export interface Write {
  readonly context: HttpContext;
  readonly request: HttpRequest;
  /** The body's root element. */
  readonly root: XmlElement;
}

/** Parses the body of a request that writes. */
export async function readWrite(context: HttpContext, request: HttpRequest): Promise<Write> {
  const text = decodeText(await request.readBody(maxBodyBytes));
  return { context, request, root: await parseXml(text, context.pause) };
}

/** Whether a request replaces what exists. */
export function isUpdate({ headers }: HttpRequest): boolean {
  return headers["if-match"] !== undefined;
}

/** The kind of entity that a request writes; for a rule, that of its subscription. */
export function kindOf({ root }: Write, { kind }: WritableResource): "Queue" | "Topic" | "Subscription" {
  if (kind !== "entity") return "Subscription";
  return root.child("content")?.child("QueueDescription") === undefined ? "Topic" : "Queue";
}

/** Creates or updates a queue or topic. */
export async function writeTopLevel(
  write: Write,
  resource: Extract<Resource, { kind: "entity" }>,
): Promise<EntityDescription> {
  const { context, request, root } = write;
  const { broker, namespace } = context;
  const { path } = resource;
  const kind = kindOf(write, resource) === "Queue" ? "queue" : "topic";
  const options = optionsIn(write, kind, descriptionIn(root, entityKinds[kind].element));
  if (!isUpdate(request)) {
    return kind === "queue"
      ? await broker.createQueue(path, options as QueueOptions)
      : await broker.createTopic(path, options as TopicOptions);
  }
  const current = existing(() => topLevelOf(broker, path), missingForUpdate(resource, namespace));
  if (current.kind !== kind) throw new HttpRefusal(400, `'${path}' is a ${current.kind}.`);
  return await broker.updateEntity(path, options);
}

/** Creates or updates a subscription. */
export async function writeSubscription(
  write: Write,
  resource: Extract<Resource, { kind: "subscription" }>,
): Promise<EntityDescription> {
  const { context, request, root } = write;
  const { broker, namespace } = context;
  const description = descriptionIn(root, entityKinds.subscription.element);
  const options = optionsIn(write, "subscription", description) as SubscriptionOptions;
  const { topic, name } = resource;
  if (isUpdate(request)) {
    const missing = missingForUpdate(resource, namespace);
    return await broker.updateEntity(existing(() => subscriptionOf(broker, resource), missing).path, options);
  }
  const rule = description.child("DefaultRuleDescription");
  const ruleName = rule?.child("Name")?.text ?? "$Default";
  return await broker.createSubscription(topic, name, options, rule && fromRuleXml(ruleName, rule));
}

/** Creates or updates a rule. */
export async function writeRule(
  { context, request, root }: Write,
  resource: Extract<Resource, { kind: "rule" }>,
): Promise<RuleDescription> {
  const { topic, subscription, name } = resource;
  const { broker, namespace } = context;
  const rule = fromRuleXml(name, descriptionIn(root, "RuleDescription"));
  if (isUpdate(request)) {
    existing(() => ruleOf(broker, resource), missingForUpdate(resource, namespace));
    await broker.updateRule(topic, subscription, rule);
  } else await broker.createRule(topic, subscription, rule);
  return ruleOf(broker, resource);
}

/** What an update changes; `missing` is thrown if it does not exist. */
function existing<Found>(find: () => Found, missing: HttpRefusal): Found {
  try {
    return find();
  } catch (error) {
    throw isNotFound(error) ? missing : error;
  }
}

/** The properties in a description. Throws unless the client may send to the entities that it forwards to. */
function optionsIn(
  { context, request }: Write,
  kind: EntityDescription["kind"],
  description: XmlElement,
): Record<string, unknown> {
  const options = fromEntityXml(description, kind, {
    version: versionOf(request),
    isUpdate: isUpdate(request),
  });
  for (const forward of ["forwardTo", "forwardDeadLetteredMessagesTo"] as const) {
    const target = options[forward];
    if (typeof target === "string") authorizeForward(context, request, forward, target);
  }
  return options;
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new HttpRefusal(400, "The body of the request is not UTF-8.");
  }
}
