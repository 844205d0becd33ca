import {
  type ApplicationProperties,
  type ApplicationPropertyValue,
  bodyType,
  bytes,
  createPipeline,
  type DeserializationOutcome,
  defineMessage,
  type EncodedMessage,
  type Message,
  type MessageTypeResolver,
  propertyResolver,
  text,
} from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { cloudEvents, dapr } from "./cloud-events.js";
import { envelopes } from "./envelopes.js";
import { massTransit } from "./masstransit.js";
import { nserviceBus } from "./nservicebus.js";
import { wolverine } from "./wolverine.js";

/** With `pnpm reliability full-samples` every change of every message is tried. */
const takesAll = process.env.WAYBILL_SAMPLES === "all";

type PipelineOptions = Parameters<typeof createPipeline>[0];

/** Both types accept the same bodies, and each version means something else, so that any confusion of labels would be decoded. */
const types = (unversioned: 1 | 2) =>
  ["order", "refund"].map((name) =>
    defineMessage(name, {
      version: 2,
      schemas: { 1: bodyType<{ n: number }>(), 2: bodyType<{ n: number }>() },
      upcasters: { 1: ({ n }) => ({ n: n * 100 }) },
      unversioned,
    }),
  );

const everyBus = [nserviceBus(), massTransit(), cloudEvents(), wolverine(), dapr()];

/** Reads type and version without ever getting a property by its name. */
const enumerating: MessageTypeResolver = {
  identify({ applicationProperties = {} }) {
    if ("refunded" in applicationProperties) return { messageType: "refund", version: 1 };
    if (Object.hasOwn(applicationProperties, "ordered")) return { messageType: "order", version: 2 };
    const [, found] = Object.entries(applicationProperties).find(([name]) => /^kind$/i.test(name)) ?? [];
    return typeof found === "string" ? { messageType: found, version: 1 } : undefined;
  },
  stamp: ({ messageType }) => ({ applicationProperties: { ordered: true, kind: messageType } }),
};

/** Reads the type from a property that no body is bound to. */
const byAddress: MessageTypeResolver = {
  identify: ({ to, correlationId = to }) =>
    typeof correlationId === "string" ? { messageType: correlationId, version: 2 } : undefined,
  stamp: ({ messageType }) => ({ to: messageType }),
};

const resolvers: readonly (readonly [string, MessageTypeResolver | undefined])[] = [
  ["no message types", undefined],
  ["the default", propertyResolver()],
  ["other properties", propertyResolver({ typeProperty: "kind", versionProperty: "revision" })],
  ["enumeration", enumerating],
  ["an address", byAddress],
  ["NServiceBus", nserviceBus()],
  ["MassTransit", massTransit()],
  ["raw MassTransit", massTransit({ writes: "raw" })],
  ["Wolverine", wolverine()],
  ["CloudEvents", cloudEvents()],
  ["structured CloudEvents", cloudEvents({ mode: "structured" })],
  ["Dapr", dapr()],
  ["several buses", envelopes(everyBus)],
  ["several buses, of which MassTransit writes", envelopes(everyBus, { otherwise: massTransit() })],
];

const messages: readonly (readonly [string, Message])[] = [
  ["a typed message", { body: { n: 1 }, subject: "order" }],
  ["a message without a subject", { body: { n: 1 } }],
  ["an empty subject", { body: { n: 1 }, subject: "" }],
  [
    "an unknown subject and a type",
    { body: { n: 1 }, subject: "eu", applicationProperties: { type: "order" } },
  ],
  ["nulls", { body: { n: 1 }, subject: "order", applicationProperties: { revision: null, kind: "order" } }],
  ["a text", { body: "a text of several words, several words, several words" }],
  ["a message without a body", { body: undefined }],
];

describe("a changed label of an encrypted message", () => {
  it.each(resolvers)("never lets its body be read as something else: %s", async (_, messageTypeResolver) => {
    let changes = 0;
    const confusions: string[] = [];
    for (const options of variants(messageTypeResolver)) {
      for (const [index, [name, message]] of messages.entries()) {
        const one = createPipeline(options);
        const sent = await one.serialize(message);
        const unchanged = await one.deserialize(sent);
        expect(unchanged.status, name).toBe("decoded");
        const meaning = meaningOf(unchanged);
        const all = [...changesOf(sent, await namesLookedAt(options, sent))];
        // Every change of the typed message, and every third of each other one, beginning elsewhere in each.
        const tried = takesAll || index === 0 ? all : all.filter((_, at) => (at + index) % 3 === 0);
        for (const [change, changed] of tried) {
          changes++;
          const outcome = await one.deserialize(changed);
          if (outcome.status === "decoded" && meaningOf(outcome) !== meaning)
            confusions.push(`${name}, ${change}: ${meaningOf(outcome)} instead of ${meaning}`);
        }
      }
    }
    expect(confusions).toEqual([]);
    expect(changes).toBeGreaterThan(1000);
  });

  it.each(resolvers)(
    "is needed for a refusal, an unchanged one is read: %s",
    async (_, messageTypeResolver) => {
      for (const options of variants(messageTypeResolver)) {
        const one = createPipeline(options);
        const sent = await one.serialize({ body: { n: 1 }, subject: "order" });
        expect(await one.deserialize(sent)).toMatchObject({ status: "decoded" });
        const added = { ...sent.applicationProperties, traceparent: "00-1", priority: "high" };
        expect(await one.deserialize({ ...sent, applicationProperties: added })).toMatchObject({
          status: "decoded",
        });
      }
    },
  );
});

function variants(messageTypeResolver: MessageTypeResolver | undefined): PipelineOptions[] {
  const key = new Uint8Array(32).fill(7);
  const keys = { currentKey: () => ({ id: "k", key }), findKey: () => key };
  // Buses have no versions.
  const unversioned =
    messageTypeResolver === undefined || "name" in messageTypeResolver || "open" in messageTypeResolver
      ? 2
      : 1;
  const typed = messageTypeResolver && {
    messageTypes: types(unversioned),
    messageTypeResolver,
    messageTypePolicies: { unknown: "pass" },
  };
  const options = {
    serializer: json(),
    additionalDeserializers: [text(), bytes()],
    ...typed,
  } as PipelineOptions;
  return [
    { ...options, encryption: { keys, allowPlaintext: true } },
    {
      ...options,
      encryption: { keys, boundProperties: ["tenant"] },
      compression: { coding: "gzip", minBytes: 0 },
    },
  ];
}

/** The application properties that reading this message looks at, and its own. */
async function namesLookedAt(options: PipelineOptions, sent: EncodedMessage): Promise<Set<string>> {
  const { encryption: _, ...unsealed } = options;
  const names = new Set(Object.keys(sent.applicationProperties ?? {}));
  const note = (name: string | symbol) => void (typeof name === "string" && names.add(name));
  const applicationProperties = new Proxy(sent.applicationProperties ?? {}, {
    get(target, name) {
      note(name);
      return Reflect.get(target, name);
    },
    has(target, name) {
      note(name);
      return Reflect.has(target, name);
    },
    getOwnPropertyDescriptor(target, name) {
      note(name);
      return Reflect.getOwnPropertyDescriptor(target, name);
    },
  });
  for (const reading of [options, unsealed as PipelineOptions]) {
    await createPipeline(reading).deserialize({ ...sent, applicationProperties });
  }
  for (const name of ["kind", "refunded", "tenant", "Content-Encoding", "cloudEvents:specversion"])
    names.add(name);
  return names;
}

const values: readonly (ApplicationPropertyValue | undefined)[] = [
  ...[undefined, null, "", "0", "1", "2", "order", "refund", "urn:message:refund", "gzip", "identity"],
  ...["1.0", "application/json", "text/plain", "[]", 0, 1, 2, 2n, 1.5, true, false],
  new Date(0),
  new Uint8Array([1, 2]),
];

const brokerProperties = [
  "contentType",
  "subject",
  "messageId",
  "correlationId",
  "to",
  "replyTo",
  "sessionId",
];

function* changesOf(sent: EncodedMessage, names: ReadonlySet<string>): Iterable<[string, EncodedMessage]> {
  const { applicationProperties: properties = {} } = sent;
  const changed = (applicationProperties: ApplicationProperties) => ({ ...sent, applicationProperties });
  for (const name of names) {
    const { [name]: own, ...others } = properties;
    yield [`without ${name}`, changed(others)];
    for (const value of [...values, String(own)]) {
      if (value !== undefined)
        yield [`${name} = ${typeof value} ${value}`, changed({ ...properties, [name]: value })];
    }
    for (const spelling of [name.toLowerCase(), name.toUpperCase()]) {
      if (spelling === name) continue;
      if (own !== undefined) yield [`${name} renamed ${spelling}`, changed({ ...others, [spelling]: own })];
      for (const value of [null, "", "gzip", "refund", 1]) {
        yield [`${spelling} = ${value} beside it`, changed({ ...properties, [spelling]: value })];
        yield [`${spelling} = ${value} before it`, changed({ [spelling]: value, ...properties })];
      }
    }
  }
  for (const name of brokerProperties) {
    for (const value of values) {
      yield [`${name} = ${typeof value} ${value}`, { ...sent, [name]: value } as unknown as EncodedMessage];
    }
  }
}

function meaningOf(outcome: DeserializationOutcome): string {
  if (outcome.status !== "decoded") return outcome.status;
  const { messageType, messageVersion, serializer, contentEncodings, upcastPath } = outcome.report;
  return JSON.stringify([
    outcome.body,
    messageType,
    messageVersion,
    serializer,
    contentEncodings,
    upcastPath,
  ]);
}
