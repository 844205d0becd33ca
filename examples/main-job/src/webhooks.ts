import { createRequire } from "node:module";

/** One real webhook delivery of GitHub, as its users contributed it. */
export interface Webhook {
  /** The event, for example `issues`; sent as the message's subject. */
  readonly event: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A JSON Schema document with its parts under `definitions`. */
export type JsonSchemaDocument = {
  readonly $schema: string;
  readonly $ref: string;
  readonly definitions: Readonly<Record<string, unknown>>;
};

interface ExampleFamily {
  readonly name: string;
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}

const require = createRequire(import.meta.url);

/** All payloads of `@octokit/webhooks-examples` in its order, 329 as of version 7.6.1. */
export const webhooks: readonly Webhook[] = (
  require("@octokit/webhooks-examples") as ExampleFamily[]
).flatMap(({ name, examples }) => examples.map((payload) => ({ event: name, payload })));

/**
 * The JSON Schema of an event, out of `@octokit/webhooks-schemas`, with the definitions it refers to and no others. Throws when there
 * is none.
 */
export function webhookSchema(event: string): JsonSchemaDocument {
  const { $schema, definitions } = webhookDefinitions();
  const root = definitionName(event);
  const reached = new Map<string, unknown>();
  collect(root, definitions, reached);
  return { $schema, $ref: `#/definitions/${root}`, definitions: Object.fromEntries(reached) };
}

/** All definitions of `@octokit/webhooks-schemas`. */
export function webhookDefinitions(): Omit<JsonSchemaDocument, "$ref"> {
  const { $schema, definitions } = require("@octokit/webhooks-schemas") as JsonSchemaDocument;
  return { $schema, definitions };
}

/** The name of an event's definition. Throws when there is none. */
export function definitionName(event: string): string {
  const { definitions } = webhookDefinitions();
  // Events with actions have a union of them, the others a single definition.
  const name = [`${event}_event`, `${event}$event`].find((one) => Object.hasOwn(definitions, one));
  if (name === undefined) throw new Error(`There is no schema for the event "${event}".`);
  return name;
}

function collect(
  name: string,
  definitions: Readonly<Record<string, unknown>>,
  reached: Map<string, unknown>,
): void {
  if (reached.has(name)) return;
  reached.set(name, definitions[name]);
  const references = JSON.stringify(definitions[name]).matchAll(/"\$ref":"#\/definitions\/([^"]+)"/g);
  for (const [, reference = ""] of references) collect(reference, definitions, reached);
}
