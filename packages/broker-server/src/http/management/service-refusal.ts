import type { BrokerError, Tier } from "@waybill/broker";
import { HttpRefusal } from "../http-refusal.js";
import type { WritableResource } from "./resource.js";

const more = "To know more visit https://aka.ms/sbResourceMgrExceptions.";
/** .NET's `TimeSpan.MaxValue`, in whole ms. */
const neverMs = 922_337_203_685_477;
const never = "10675199.02:48:05.4775807";

/** What a refusal names. */
export interface RefusalPlace {
  readonly namespace: string;
  readonly tier: Tier | undefined;
  /** The kind of the entity, as in the name of its description. */
  readonly kind: "Queue" | "Topic" | "Subscription";
}

/** The service's refusal of an update of what does not exist. */
export function missingForUpdate(resource: WritableResource, namespace: string): HttpRefusal {
  return resource.kind === "entity"
    ? new HttpRefusal(404, `SubCode=40400. Not Found. The Operation doesn't exist. ${more} .`)
    : new HttpRefusal(404, `Entity '${nameOf(resource, namespace)}' was not found. ${more} `);
}

/** The service's refusal for a broker error while something is written; undefined where its text is not known, and for other errors. */
export function toServiceRefusal(
  error: BrokerError,
  resource: WritableResource,
  place: RefusalPlace,
): HttpRefusal | undefined {
  if (error.code === "entity-already-exists") return alreadyExists(resource, place.namespace);
  const text = propertyText(error, place);
  if (text === undefined) return undefined;
  return new HttpRefusal(400, resource.kind === "entity" ? `SubCode=40000. ${text}` : text);
}

function alreadyExists(resource: WritableResource, namespace: string): HttpRefusal {
  const text =
    resource.kind === "entity"
      ? `SubCode=40900. Conflict. You're requesting an operation that isn't allowed in the resource's current state. ${more} .`
      : `The messaging entity '${nameOf(resource, namespace)}' already exists. ${more} `;
  return new HttpRefusal(409, text);
}

function propertyText({ code, property }: BrokerError, place: RefusalPlace): string | undefined {
  if (property === undefined) return undefined;
  const isDuration = property.name.endsWith("Ms");
  const element = elementOf(property.name);
  if (code === "not-allowed") {
    return element === "EnablePartitioning"
      ? `Partitioning cannot be changed for ${place.kind}. ${more} .`
      : `The value for the ${element} property of an existing ${place.kind} cannot be changed. ${more} .`;
  }
  const { value, range } = property;
  if (range === undefined || typeof value !== "number") return undefined;
  const [least, most] = range;
  const actual = `\r\nParameter name: ${element}\r\nActual value was ${isDuration ? timeSpanText(value) : value}.`;
  if (element === "LockDuration" && value > most)
    return `The supplied lock time exceeds the allowed maximum of '${most / 60_000}' minutes. ${more} ${actual}`;
  if (isDuration && Number.isFinite(most))
    return `The value supplied must be between ${timeSpanText(least)} and ${timeSpanText(most)}.${actual}`;
  if (element !== "MaxMessageSizeInKilobytes") return undefined;
  if (place.tier !== undefined && place.tier !== "premium") return `Bad Request. ${more} .`;
  return `The property value for '${element}' must be between ${least} and ${most} when the namespace '${place.namespace}' is using 'Premium' tier.${actual}`;
}

/** The service's name of what is below a topic. */
function nameOf(resource: Exclude<WritableResource, { kind: "entity" }>, namespace: string): string {
  const { topic } = resource;
  const below = resource.kind === "rule" ? [resource.subscription, resource.name] : [resource.name];
  return `${namespace}:Topic:${[topic, ...below].join("|")}`;
}

function elementOf(option: string): string {
  return `${option.charAt(0).toUpperCase()}${option.slice(1).replace(/Ms$/, "")}`;
}

/** A duration as .NET writes a `TimeSpan`. */
function timeSpanText(ms: number): string {
  if (ms >= neverMs) return never;
  const two = (value: number): string => String(value).padStart(2, "0");
  const seconds = Math.floor(ms / 1000);
  const days = Math.floor(seconds / 86_400);
  const time = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60]
    .map(two)
    .join(":");
  const fraction = ms % 1000 === 0 ? "" : `.${String((ms % 1000) * 10_000).padStart(7, "0")}`;
  return `${days === 0 ? "" : `${days}.`}${time}${fraction}`;
}
