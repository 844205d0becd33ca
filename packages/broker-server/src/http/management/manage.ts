import type {
  Broker,
  EntityDescription,
  QueueOptions,
  RuleDescription,
  SubscriptionDescription,
  SubscriptionOptions,
  TopicOptions,
} from "@waybill/broker";
import type { HttpContext } from "../http-context.js";
import { HttpRefusal } from "../http-refusal.js";
import { type HttpRequest, type HttpResponse, urlOf } from "../http-request.js";
import { parseXml, type XmlElement } from "../xml.js";
import { type AtomEntry, buildEntry, buildFeed, descriptionIn } from "./atom.js";
import { descriptionNamespace, entityKinds, fromEntityXml, toEntityXml, toTime } from "./entity-xml.js";
import { pageOf } from "./page.js";
import type { Resource } from "./resource.js";
import { fromRuleXml, toRuleXml } from "./rule-xml.js";

/** Descriptions of entities and rules have a few kilobytes. */
const MAX_BODY_BYTES = 1024 * 1024;

/**
 * Handles a request of the management API: reads, lists, creates, changes and deletes entities and rules. Throws `BrokerError` or
 * `HttpRefusal`. Source: "Service Bus resource manager over HTTP: ATOM", as used by the SDKs of four languages.
 */
export async function manage(
  { broker, namespace }: Pick<HttpContext, "broker" | "namespace">,
  request: HttpRequest,
  resource: Resource,
): Promise<HttpResponse> {
  switch (request.method) {
    case "GET":
      return read(broker, namespace, request, resource);
    case "PUT":
      return await write(broker, request, resource);
    case "DELETE":
      await remove(broker, resource);
      return { status: 200 };
    default:
      throw new HttpRefusal(405, `The method ${request.method} is not allowed here.`);
  }
}

function read(broker: Broker, namespace: string, request: HttpRequest, resource: Resource): HttpResponse {
  switch (resource.kind) {
    case "namespace":
      return entry(200, namespaceEntry(request, namespace, broker));
    case "list":
      return entityFeed(broker, request, ({ kind }) => kind === resource.of);
    case "entity":
      return entry(200, entityEntry(request, topLevel(broker.getEntity(resource.path))));
    case "subscription":
      return entry(200, entityEntry(request, subscriptionOf(broker, resource)));
    case "subscriptions": {
      const { path } = broker.getEntity(resource.topic);
      return entityFeed(broker, request, (one) => one.kind === "subscription" && one.topic === path);
    }
    case "rules": {
      const rules = broker.listRules(resource.topic, resource.subscription);
      const byName = rules.sort((a, b) => (a.name < b.name ? -1 : 1));
      return feed(broker, request, byName, (rule) => ruleEntry(request, resource, rule));
    }
    case "rule":
      return entry(200, ruleEntry(request, resource, ruleOf(broker, resource)));
  }
}

async function write(broker: Broker, request: HttpRequest, resource: Resource): Promise<HttpResponse> {
  const isUpdate = request.headers["if-match"] !== undefined;
  const status = isUpdate ? 200 : 201;
  const root = parseXml(decodeText(await request.readBody(MAX_BODY_BYTES)));
  switch (resource.kind) {
    case "entity":
      return entry(status, entityEntry(request, await writeTopLevel(broker, resource.path, root, isUpdate)));
    case "subscription":
      return entry(status, entityEntry(request, await writeSubscription(broker, resource, root, isUpdate)));
    case "rule": {
      const { topic, subscription, name } = resource;
      const rule = fromRuleXml(name, descriptionIn(root, "RuleDescription"));
      await (isUpdate
        ? broker.updateRule(topic, subscription, rule)
        : broker.createRule(topic, subscription, rule));
      return entry(status, ruleEntry(request, resource, ruleOf(broker, resource)));
    }
    default:
      throw new HttpRefusal(405, "Only a queue, topic, subscription or rule can be written.");
  }
}

async function writeTopLevel(
  broker: Broker,
  path: string,
  root: XmlElement,
  isUpdate: boolean,
): Promise<EntityDescription> {
  const isQueue = root.child("content")?.child("QueueDescription") !== undefined;
  const { element, fields } = entityKinds[isQueue ? "queue" : "topic"];
  const options = fromEntityXml(descriptionIn(root, element), fields);
  if (!isUpdate) {
    return isQueue
      ? await broker.createQueue(path, options as QueueOptions)
      : await broker.createTopic(path, options as TopicOptions);
  }
  const { kind } = topLevel(broker.getEntity(path));
  if (kind !== (isQueue ? "queue" : "topic")) throw new HttpRefusal(400, `'${path}' is a ${kind}.`);
  return await broker.updateEntity(path, options);
}

async function writeSubscription(
  broker: Broker,
  resource: Extract<Resource, { kind: "subscription" }>,
  root: XmlElement,
  isUpdate: boolean,
): Promise<EntityDescription> {
  const { element, fields } = entityKinds.subscription;
  const description = descriptionIn(root, element);
  const options = fromEntityXml(description, fields) as SubscriptionOptions;
  const { topic, name } = resource;
  if (isUpdate) return await broker.updateEntity(subscriptionOf(broker, resource).path, options);
  const rule = description.child("DefaultRuleDescription");
  const ruleName = rule?.child("Name")?.text ?? "$Default";
  return await broker.createSubscription(topic, name, options, rule && fromRuleXml(ruleName, rule));
}

async function remove(broker: Broker, resource: Resource): Promise<void> {
  switch (resource.kind) {
    case "entity":
      return await broker.deleteEntity(topLevel(broker.getEntity(resource.path)).path);
    case "subscription":
      return await broker.deleteEntity(subscriptionOf(broker, resource).path);
    case "rule":
      return await broker.deleteRule(resource.topic, resource.subscription, resource.name);
    default:
      throw new HttpRefusal(405, "Only a queue, topic, subscription or rule can be deleted.");
  }
}

function decodeText(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new HttpRefusal(400, "The body of the request is not UTF-8.");
  }
}

/** A queue or topic; subscriptions have other addresses. */
function topLevel(entity: EntityDescription): Exclude<EntityDescription, SubscriptionDescription> {
  if (entity.kind === "subscription")
    throw new HttpRefusal(404, `The messaging entity '${entity.path}' could not be found.`);
  return entity;
}

function subscriptionOf(broker: Broker, { topic, name }: { readonly topic: string; readonly name: string }) {
  return broker.getEntity(`${topic}/Subscriptions/${name}`);
}

function ruleOf(
  broker: Broker,
  { topic, subscription, name }: Extract<Resource, { kind: "rule" }>,
): RuleDescription {
  const rules = broker.listRules(topic, subscription);
  const found = rules.find((rule) => rule.name.toLowerCase() === name.toLowerCase());
  if (found === undefined) {
    throw new HttpRefusal(
      404,
      `The rule '${name}' of '${topic}/Subscriptions/${subscription}' could not be found.`,
    );
  }
  return found;
}

function entityEntry({ origin, host, query }: HttpRequest, entity: EntityDescription): AtomEntry {
  const isSubscription = entity.kind === "subscription";
  return {
    id: address(origin, entity.path.split("/"), query),
    title: isSubscription ? entity.name : entity.path,
    createdAt: entity.createdAt,
    updatedAt: entity.updatedAt,
    description: toEntityXml(entity, host),
  };
}

function ruleEntry(
  { origin, query }: HttpRequest,
  { topic, subscription }: { readonly topic: string; readonly subscription: string },
  rule: RuleDescription,
): AtomEntry {
  return {
    id: address(origin, [...topic.split("/"), "Subscriptions", subscription, "Rules", rule.name], query),
    title: rule.name,
    createdAt: rule.createdAt,
    updatedAt: rule.createdAt,
    description: toRuleXml(rule),
  };
}

/** A broker without a tier has the limits of premium. */
function namespaceEntry(
  { origin, query }: HttpRequest,
  name: string,
  { tier = "premium", createdAt }: Broker,
): AtomEntry {
  const time = toTime(createdAt);
  return {
    id: address(origin, ["$namespaceinfo"], query),
    title: name,
    createdAt,
    updatedAt: createdAt,
    description: {
      name: "NamespaceInfo",
      attributes: { xmlns: descriptionNamespace, "xmlns:i": "http://www.w3.org/2001/XMLSchema-instance" },
      content: [
        { name: "CreatedTime", content: time },
        { name: "MessagingSKU", content: `${tier.charAt(0).toUpperCase()}${tier.slice(1)}` },
        ...(tier === "premium" ? [{ name: "MessagingUnits", content: "1" }] : []),
        { name: "ModifiedTime", content: time },
        { name: "Name", content: name },
        { name: "NamespaceType", content: "Messaging" },
      ],
    },
  };
}

/** SDKs parse names from the address, in which `Subscriptions` and `Rules` must be spelled like this. */
function address(origin: string, segments: readonly string[], query: URLSearchParams): string {
  return `${urlOf(origin, segments)}?api-version=${encodeURIComponent(query.get("api-version") ?? "2021-05")}`;
}

function entry(status: number, one: AtomEntry): HttpResponse {
  return {
    status,
    headers: [["Content-Type", "application/atom+xml;type=entry;charset=utf-8"]],
    body: buildEntry(one),
  };
}

function entityFeed(
  broker: Broker,
  request: HttpRequest,
  isListed: (entity: EntityDescription) => boolean,
): HttpResponse {
  const listed = broker.listEntities().filter(isListed);
  const byPath = listed.sort((a, b) => (a.path < b.path ? -1 : 1));
  return feed(broker, request, byPath, (one) => entityEntry(request, one));
}

function feed<Item>(
  broker: Broker,
  request: HttpRequest,
  all: readonly Item[],
  toEntry: (item: Item) => AtomEntry,
): HttpResponse {
  const { items, next } = pageOf(request, all);
  const title = request.segments.at(-1) ?? "";
  const updatedAt = new Date(broker.clock.now());
  const body = buildFeed(urlOf(request.origin, request.segments), title, updatedAt, items.map(toEntry), next);
  return { status: 200, headers: [["Content-Type", "application/atom+xml;type=feed;charset=utf-8"]], body };
}
