import type { Origin } from "../message/origin.js";
import {
  envelopeReader,
  gzipSender,
  origin,
  type Reader,
  readers,
  registryReader,
  type Traces,
} from "./readers.js";

/** The origin that the application properties prove: each bus writes some of its own. */
export function byProperties({ contentType, applicationProperties = {} }: Traces): Origin | undefined {
  const has = (name: string) => Object.hasOwn(applicationProperties, name);
  if (applicationProperties["NServiceBus.Transport.Encoding"] === "wcf/byte-array") {
    const add = `${readers.dotnet.add}, and nserviceBus() of @waybill/envelopes as messageTypeResolver`;
    return origin(`a message of NServiceBus in the legacy .NET form${holding(contentType)}`, {
      ...readers.dotnet,
      add,
    });
  }
  if (has("NServiceBus.EnclosedMessageTypes")) {
    return origin(`a message of NServiceBus${holding(contentType)}`, envelopeReader("nserviceBus()"));
  }
  if (has("rbs2-msg-type") || has("rbs2-content-type")) return rebus(applicationProperties);
  if (has("cloudEvents_specversion") || has("cloudEvents:specversion")) {
    return origin(`a CloudEvent in binary mode${holding(contentType)}`, envelopeReader("cloudEvents()"));
  }
  if (has("MT-MessageType")) return origin("raw JSON of MassTransit", envelopeReader("massTransit()"));
  if (has("accepted-content-types") && has("sent-at")) {
    return origin(`a message of Wolverine${holding(contentType)}`, envelopeReader("wolverine()"));
  }
  if (has("__value_schema_id")) {
    return origin(
      "Avro with Confluent's schema id in a header",
      registryReader("registryAvro(avro, { source: confluentSchemaRegistry({ url }) })"),
    );
  }
  return undefined;
}

/**
 * Rebus has the type, the content type and the encoding in headers of its own; JSON is its default. The serializer alone is not enough, so that
 * Rebus is named to those who have it. Source: Rebus, `Headers`.
 */
function rebus(properties: NonNullable<Traces["applicationProperties"]>): Origin {
  const { "rbs2-content-encoding": encoding, "rbs2-content-type": contentType } = properties;
  if (typeof encoding === "string" && /gzip/i.test(encoding)) {
    return origin("a message of Rebus, compressed", { sender: gzipSender });
  }
  const { add, package: from } = rebusReader(contentType);
  return origin(`a message of Rebus${holding(contentType)}`, {
    add: `${add}, and a messageTypeResolver that reads rbs2-msg-type`,
    package: from,
  });
}

/** Each of Rebus's serializers names its format; a header without a known one is that of JSON. */
function rebusReader(contentType: unknown): Reader {
  const label = typeof contentType === "string" ? contentType : "";
  if (/msgpack|messagepack/i.test(label)) return readers.msgpack;
  if (/protobuf/i.test(label)) return readers.protobuf;
  return /xml/i.test(label) ? readers.xml : readers.json;
}

/** The origin that the content type says. */
export function byContentType({ contentType }: Traces): Origin | undefined {
  const label = typeof contentType === "string" ? contentType.trim().toLowerCase() : "";
  const registry = /^(avro\/binary|application\/json)\+[0-9a-f]{32}$/.exec(label);
  if (registry !== null) {
    const isAvro = registry[1] === "avro/binary";
    return origin(
      `${isAvro ? "Avro" : "JSON"} of Azure Schema Registry`,
      registryReader(
        `registry${isAvro ? "Avro(avro" : "Json(json"}, { source: azureSchemaRegistry(client) })`,
      ),
    );
  }
  if (label.startsWith("application/cloudevents+avro")) {
    return origin(
      "a CloudEvent in Avro",
      envelopeReader("cloudEvents(), and cloudEventsAvro(avro) as a serializer"),
    );
  }
  if (label.startsWith("application/cloudevents")) {
    return origin("a CloudEvent in structured mode", envelopeReader("cloudEvents()"));
  }
  if (label.startsWith("application/vnd.masstransit")) {
    return origin("an envelope of MassTransit", envelopeReader("massTransit()"));
  }
  if (/protobuf|^application\/proto\b/.test(label)) return origin("Protocol Buffers", readers.protobuf);
  return /\bcbor\b/.test(label) ? origin("CBOR", readers.cbor) : undefined;
}

function holding(contentType: unknown): string {
  if (typeof contentType !== "string" || contentType === "") return "";
  return /json/i.test(contentType) ? " holding JSON" : /xml/i.test(contentType) ? " holding XML" : "";
}
