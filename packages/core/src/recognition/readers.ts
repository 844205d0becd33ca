import type { ApplicationProperties } from "../message/message.js";
import type { Origin } from "../message/origin.js";

/** The parts of a message that show its origin. The body is without encryption and compression. */
export interface Traces {
  readonly body: Uint8Array;
  readonly contentType?: string | undefined;
  readonly applicationProperties?: ApplicationProperties | undefined;
}

/** Something that other programs write, and how to read it. */
export function origin(name: string, reader: Partial<Omit<Origin, "name">> = {}): Origin {
  return { name, add: undefined, sender: undefined, package: undefined, serializer: undefined, ...reader };
}

/** What the sender of data compressed without a label should do. */
export const gzipSender = "set the application property Content-Encoding: gzip";

/** What reads something. */
export type Reader = Pick<Origin, "add" | "package"> & Partial<Pick<Origin, "serializer">>;

/** The serializers of waybill. */
export const readers = Object.freeze({
  json: { add: "json()", package: "@waybill/serializer-json", serializer: "json" },
  avro: { add: "avro({ schema })", package: "@waybill/serializer-avro", serializer: "avro" },
  msgpack: { add: "msgpack()", package: "@waybill/serializer-msgpack", serializer: "msgpack" },
  cbor: { add: "cbor()", package: "@waybill/serializer-cbor", serializer: "cbor" },
  xml: { add: "xml()", package: "@waybill/serializer-xml", serializer: "xml" },
  protobuf: {
    add: "protobuf({ registry })",
    package: "@waybill/serializer-protobuf",
    serializer: "protobuf",
  },
  dotnet: { add: "dotnetBinary()", package: "@waybill/serializer-dotnet", serializer: "dotnet-binary" },
} satisfies Record<string, Reader>);

/** What reads an envelope of another bus. */
export function envelopeReader(call: string): Reader {
  return { add: `messageTypeResolver: ${call}, with messageTypes`, package: "@waybill/envelopes" };
}

/** What reads bodies whose schema is in a registry. */
export function registryReader(add: string): Reader {
  return { add, package: "@waybill/schema-registry" };
}
