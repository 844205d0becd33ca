import { Ajv, type ValidateFunction } from "ajv";
import formats from "ajv-formats";
import { definitionName, type Webhook, webhookDefinitions } from "./webhooks.js";

// Each schema checks a few payloads: optimising the generated code would cost more than it saves.
const ajv = new Ajv({ strict: false, code: { optimize: false } });
formats.default(ajv);
// One schema for all events, so that what they share is compiled once.
ajv.addSchema(webhookDefinitions(), "webhooks");
const verdicts = new Map<Webhook, boolean>();

/**
 * Whether the published JSON Schema refuses a published payload, as it does for 53 of the 329: they were recorded before today's requirements of
 * the schema. The producers do not validate; the consumer does, in every format.
 */
export function isRefusedBySchema(webhook: Webhook): boolean {
  let isRefused = verdicts.get(webhook);
  if (isRefused === undefined) {
    isRefused = !validator(webhook.event)(webhook.payload);
    verdicts.set(webhook, isRefused);
  }
  return isRefused;
}

function validator(event: string): ValidateFunction {
  const validate = ajv.getSchema(`webhooks#/definitions/${encodeURIComponent(definitionName(event))}`);
  if (validate === undefined) throw new Error(`The schema of the event "${event}" is not found.`);
  return validate;
}
