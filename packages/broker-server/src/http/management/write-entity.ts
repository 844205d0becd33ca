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
import type { Resource } from "./resource.js";
import { fromRuleXml } from "./rule-xml.js";

/** Descriptions of entities have a few kilobytes, correlation filters up to 64 KiB besides their markup. */
const MAX_BODY_BYTES = 256 * 1024;

/** A request to create an entity or rule or, with the header `If-Match`, to replace it. */
interface Write {
  readonly context: HttpContext;
  readonly request: HttpRequest;
  /** The body's root element. */
  readonly root: XmlElement;
}

/** Parses the body of a request that writes. */
export async function readWrite(context: HttpContext, request: HttpRequest): Promise<Write> {
  const text = decodeText(await request.readBody(MAX_BODY_BYTES));
  return { context, request, root: await parseXml(text, context.pause) };
}

/** Whether a request replaces what exists. */
export function isUpdate({ headers }: HttpRequest): boolean {
  return headers["if-match"] !== undefined;
}

/** Creates or updates a queue or topic. */
export async function writeTopLevel(write: Write, path: string): Promise<EntityDescription> {
  const { context, request, root } = write;
  const { broker } = context;
  const kind = root.child("content")?.child("QueueDescription") === undefined ? "topic" : "queue";
  const options = optionsIn(write, kind, descriptionIn(root, entityKinds[kind].element));
  if (!isUpdate(request)) {
    return kind === "queue"
      ? await broker.createQueue(path, options as QueueOptions)
      : await broker.createTopic(path, options as TopicOptions);
  }
  const current = topLevelOf(broker, path);
  if (current.kind !== kind) throw new HttpRefusal(400, `'${path}' is a ${current.kind}.`);
  return await broker.updateEntity(path, options);
}

/** Creates or updates a subscription. */
export async function writeSubscription(
  write: Write,
  resource: Extract<Resource, { kind: "subscription" }>,
): Promise<EntityDescription> {
  const { context, request, root } = write;
  const { broker } = context;
  const description = descriptionIn(root, entityKinds.subscription.element);
  const options = optionsIn(write, "subscription", description) as SubscriptionOptions;
  const { topic, name } = resource;
  if (isUpdate(request)) return await broker.updateEntity(subscriptionOf(broker, resource).path, options);
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
  try {
    await (isUpdate(request)
      ? broker.updateRule(topic, subscription, rule)
      : broker.createRule(topic, subscription, rule));
  } catch (error) {
    if (!isUpdate(request) || !isNotFound(error)) throw error;
    const text = `SubCode=40400. Entity '${namespace}|${topic}|${subscription}|${name}' was not found.`;
    throw new HttpRefusal(404, text);
  }
  return ruleOf(broker, resource);
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
