import type { AvroSchema } from "@waybill/serializer-avro";
import { deriveAvroSchema } from "./derive-avro-schema.js";
import { type Webhook, webhooks } from "./webhooks.js";

/** A version of an event in Avro: the schema of all its payloads that have the same fields at the top. */
export interface WebhookVersion {
  readonly event: string;
  /** Counts from 1 within the event. */
  readonly version: number;
  readonly schema: AvroSchema;
}

const versions = deriveVersions();

const byName = new Map([...versions.values()].map((one) => [`${one.event} ${one.version}`, one]));

/** The versions of all events, derived from the payloads. */
export const webhookVersions: readonly WebhookVersion[] = [...versions.values()];

/** The version that a webhook is written in. */
export function versionOf(webhook: Webhook): WebhookVersion {
  const version = versions.get(shapeOf(webhook));
  if (version === undefined) throw new TypeError(`No version of ${webhook.event} has these fields.`);
  return version;
}

/** The version that a message names, or undefined. */
export function findVersion(event: unknown, version: unknown): WebhookVersion | undefined {
  return byName.get(`${event} ${version}`);
}

function deriveVersions(): ReadonlyMap<string, WebhookVersion> {
  const groups = new Map<string, Pick<Webhook, "event"> & { payloads: Webhook["payload"][] }>();
  for (const webhook of webhooks) {
    const { event, payload } = webhook;
    const group = groups.get(shapeOf(webhook));
    if (group === undefined) groups.set(shapeOf(webhook), { event, payloads: [payload] });
    else group.payloads.push(payload);
  }
  const counts = new Map<string, number>();
  return new Map(
    [...groups].map(([shape, { event, payloads }]) => {
      const version = (counts.get(event) ?? 0) + 1;
      counts.set(event, version);
      const schema = deriveAvroSchema(event, payloads);
      return [shape, { event, version, schema }];
    }),
  );
}

function shapeOf({ event, payload }: Webhook): string {
  return [event, ...Object.keys(payload).sort()].join(" ");
}
