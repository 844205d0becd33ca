import { type Broker, BrokerError, type EntityDescription, type RuleDescription } from "@waybill/broker";
import type { HttpContext } from "../http-context.js";
import { HttpRefusal } from "../http-refusal.js";
import { type HttpRequest, type HttpResponse, urlOf } from "../http-request.js";
import { type AtomEntry, buildEntry, buildFeed } from "./atom.js";
import { toTime } from "./entity-fields.js";
import { descriptionNamespace, toEntityXml } from "./entity-xml.js";
import { isNotFound, ruleOf, subscriptionOf, topLevelOf } from "./find-entity.js";
import { pageOf, versionOf } from "./page.js";
import type { Resource, WritableResource } from "./resource.js";
import { toRuleXml } from "./rule-xml.js";
import { toServiceRefusal } from "./service-refusal.js";
import {
  isUpdate,
  kindOf,
  readWrite,
  type Write,
  writeRule,
  writeSubscription,
  writeTopLevel,
} from "./write-entity.js";

/** The title of the service's answer for an address where nothing is. */
const nothingTitle = "Publicly Listed Services";

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
function read(context: HttpContext, request: HttpRequest, resource: Resource): HttpResponse {
  try {
    return describe(context, request, resource);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return feed(context, request, nothingTitle, [], (entry: AtomEntry) => entry);
  }
}

function describe(context: HttpContext, request: HttpRequest, resource: Resource): HttpResponse {
  const { broker } = context;
  switch (resource.kind) {
    case "namespace":
      return entry(200, namespaceEntry(context, request));
    case "list": {
      const title = resource.of === "queue" ? "Queues" : "Topics";
      const paths = broker.entityPaths(resource.of).sort();
      return feed(context, request, title, paths, (path) =>
        entityEntry(context, request, broker.getEntity(path)),
      );
    }
    case "entity":
      return entry(200, entityEntry(context, request, topLevelOf(broker, resource.path)));
    case "subscription":
      return entry(200, entityEntry(context, request, subscriptionOf(broker, resource)));
    case "subscriptions": {
      const byPath = broker.listSubscriptions(resource.topic).sort((a, b) => (a.path < b.path ? -1 : 1));
      return feed(context, request, "Subscriptions", byPath, (one) => entityEntry(context, request, one));
    }
    case "rules": {
      const rules = broker.listRules(resource.topic, resource.subscription);
      const byName = rules.sort((a, b) => (a.name < b.name ? -1 : 1));
      return feed(context, request, "Rules", byName, (rule) => ruleEntry(request, resource, rule));
    }
    case "rule":
      return entry(200, ruleEntry(request, resource, ruleOf(broker, resource)));
  }
}

async function write(context: HttpContext, request: HttpRequest, resource: Resource): Promise<HttpResponse> {
  if (resource.kind !== "entity" && resource.kind !== "subscription" && resource.kind !== "rule")
    throw new HttpRefusal(405, "Only a queue, topic, subscription or rule can be written.");
  const given = await readWrite(context, request);
  try {
    return entry(isUpdate(request) ? 200 : 201, await writtenEntry(given, resource));
  } catch (error) {
    if (!(error instanceof BrokerError)) throw error;
    const { broker, namespace } = context;
    const place = { namespace, tier: broker.tier, kind: kindOf(given, resource) };
    throw toServiceRefusal(error, resource, place) ?? error;
  }
}

async function writtenEntry(given: Write, resource: WritableResource): Promise<AtomEntry> {
  const { context, request } = given;
  switch (resource.kind) {
    case "entity":
      return entityEntry(context, request, await writeTopLevel(given, resource), true);
    case "subscription":
      return entityEntry(context, request, await writeSubscription(given, resource), true);
    case "rule":
      return ruleEntry(request, resource, await writeRule(given, resource));
  }
}

async function remove(broker: Broker, resource: Resource): Promise<void> {
  try {
    await removeExisting(broker, resource);
  } catch (error) {
    if (!isNotFound(error)) throw error;
    throw new HttpRefusal(404, "No service is hosted at the specified address.");
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

function entityEntry(
  { namespace }: HttpContext,
  request: HttpRequest,
  entity: EntityDescription,
  isWritten = false,
): AtomEntry {
  const { host } = request;
  const isSubscription = entity.kind === "subscription";
  return {
    id: address(request, entity.path.split("/")),
    title: isSubscription ? entity.name : entity.path,
    ...(!isSubscription && { author: namespace }),
    createdAt: entity.createdAt,
    updatedAt: entity.updatedAt,
    description: toEntityXml(entity, { host, version: versionOf(request), isWritten }),
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
function namespaceEntry({ broker, namespace: name }: HttpContext, request: HttpRequest): AtomEntry {
  const { tier = "premium", createdAt } = broker;
  const time = toTime(createdAt);
  return {
    id: address(request, ["$namespaceinfo"]),
    title: name,
    author: name,
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

function feed<Item>(
  { broker }: HttpContext,
  request: HttpRequest,
  title: string,
  all: readonly Item[],
  toEntry: (item: Item) => AtomEntry,
): HttpResponse {
  const { items, next } = pageOf(request, all);
  const self = urlOf(request.origin, request.segments);
  const updatedAt = new Date(broker.clock.now());
  return {
    status: 200,
    headers: [["Content-Type", "application/atom+xml;type=feed;charset=utf-8"]],
    body: buildFeed(self, title, updatedAt, items.map(toEntry), next),
  };
}
