import type { Broker, EntityDescription, RuleDescription } from "@waybill/broker";
import type { HttpContext } from "../http-context.js";
import { HttpRefusal } from "../http-refusal.js";
import { type HttpRequest, type HttpResponse, urlOf } from "../http-request.js";
import { type AtomEntry, buildEntry, buildFeed } from "./atom.js";
import { toTime } from "./entity-fields.js";
import { descriptionNamespace, toEntityXml } from "./entity-xml.js";
import { isNotFound, ruleOf, subscriptionOf, topLevelOf } from "./find-entity.js";
import { pageOf, versionOf } from "./page.js";
import type { Resource } from "./resource.js";
import { toRuleXml } from "./rule-xml.js";
import { isUpdate, readWrite, writeRule, writeSubscription, writeTopLevel } from "./write-entity.js";

/** The title of the service's answer for an address where nothing is. */
const NOTHING_TITLE = "Publicly Listed Services";

/**
 * Handles a request of the management API: reads, lists, creates, changes and deletes entities and rules. Throws `BrokerError` or
 * `HttpRefusal`. Source: "Service Bus resource manager over HTTP: ATOM", as used by the SDKs of four languages.
 */
export async function manage(
  context: HttpContext,
  request: HttpRequest,
  resource: Resource,
): Promise<HttpResponse> {
  switch (request.method) {
    case "GET":
      return read(context, request, resource);
    case "PUT":
      return await write(context, request, resource);
    case "DELETE":
      await remove(context.broker, resource);
      return { status: 200 };
    default:
      throw new HttpRefusal(405, `The method ${request.method} is not allowed here.`);
  }
}

/** Like the service, answers an address where nothing is with an empty feed, which SDKs report as not found. */
function read({ broker, namespace }: HttpContext, request: HttpRequest, resource: Resource): HttpResponse {
  try {
    return describe(broker, namespace, request, resource);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    const self = urlOf(request.origin, request.segments);
    return feedOf(buildFeed(self, NOTHING_TITLE, new Date(broker.clock.now()), [], undefined));
  }
}

function describe(broker: Broker, namespace: string, request: HttpRequest, resource: Resource): HttpResponse {
  switch (resource.kind) {
    case "namespace":
      return entry(200, namespaceEntry(request, namespace, broker));
    case "list":
      return entityFeed(broker, request, ({ kind }) => kind === resource.of);
    case "entity":
      return entry(200, entityEntry(request, topLevelOf(broker, resource.path)));
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

async function write(context: HttpContext, request: HttpRequest, resource: Resource): Promise<HttpResponse> {
  const status = isUpdate(request) ? 200 : 201;
  const given = await readWrite(context, request);
  switch (resource.kind) {
    case "entity":
      return entry(status, entityEntry(request, await writeTopLevel(given, resource.path)));
    case "subscription":
      return entry(status, entityEntry(request, await writeSubscription(given, resource)));
    case "rule":
      return entry(status, ruleEntry(request, resource, await writeRule(given, resource)));
    default:
      throw new HttpRefusal(405, "Only a queue, topic, subscription or rule can be written.");
  }
}

async function remove(broker: Broker, resource: Resource): Promise<void> {
  try {
    await removeExisting(broker, resource);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new HttpRefusal(404, "SubCode=40400. Not Found. No service is hosted at the specified address.");
  }
}

async function removeExisting(broker: Broker, resource: Resource): Promise<void> {
  switch (resource.kind) {
    case "entity":
      return await broker.deleteEntity(topLevelOf(broker, resource.path).path);
    case "subscription":
      return await broker.deleteEntity(subscriptionOf(broker, resource).path);
    case "rule":
      return await broker.deleteRule(resource.topic, resource.subscription, resource.name);
    default:
      throw new HttpRefusal(405, "Only a queue, topic, subscription or rule can be deleted.");
  }
}

function entityEntry(request: HttpRequest, entity: EntityDescription): AtomEntry {
  const { host } = request;
  const isSubscription = entity.kind === "subscription";
  return {
    id: address(request, entity.path.split("/")),
    title: isSubscription ? entity.name : entity.path,
    createdAt: entity.createdAt,
    updatedAt: entity.updatedAt,
    description: toEntityXml(entity, { host, version: versionOf(request) }),
  };
}

function ruleEntry(
  request: HttpRequest,
  { topic, subscription }: { readonly topic: string; readonly subscription: string },
  rule: RuleDescription,
): AtomEntry {
  return {
    id: address(request, [...topic.split("/"), "Subscriptions", subscription, "Rules", rule.name]),
    title: rule.name,
    createdAt: rule.createdAt,
    updatedAt: rule.createdAt,
    description: toRuleXml(rule),
  };
}

/** A broker without a tier has the limits of premium. */
function namespaceEntry(
  request: HttpRequest,
  name: string,
  { tier = "premium", createdAt }: Broker,
): AtomEntry {
  const time = toTime(createdAt);
  return {
    id: address(request, ["$namespaceinfo"]),
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
function address(request: HttpRequest, segments: readonly string[]): string {
  return `${urlOf(request.origin, segments)}?api-version=${encodeURIComponent(versionOf(request))}`;
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
  return feedOf(
    buildFeed(urlOf(request.origin, request.segments), title, updatedAt, items.map(toEntry), next),
  );
}

function feedOf(body: string): HttpResponse {
  return { status: 200, headers: [["Content-Type", "application/atom+xml;type=feed;charset=utf-8"]], body };
}
