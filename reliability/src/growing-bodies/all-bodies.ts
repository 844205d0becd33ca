import { avroBodies } from "./avro-bodies.js";
import { cborBodies } from "./cbor-bodies.js";
import { dotnetBodies } from "./dotnet-bodies.js";
import type { GrowingBodies, GrowingBody } from "./growing-body.js";
import { jsonBodies } from "./json-bodies.js";
import { msgpackBodies } from "./msgpack-bodies.js";
import { protobufBodies } from "./protobuf-bodies.js";
import { xmlBodies } from "./xml-bodies.js";

/** The growing bodies of every format, such as `XML: carriage returns`. */
export const allBodies: ReadonlyMap<string, GrowingBody> = new Map(
  Object.entries({
    JSON: jsonBodies,
    XML: xmlBodies,
    ".NET": dotnetBodies,
    MessagePack: msgpackBodies,
    CBOR: cborBodies,
    Avro: avroBodies,
    Protobuf: protobufBodies,
  } satisfies Record<string, GrowingBodies>).flatMap(([format, bodies]) =>
    Object.entries(bodies).map(([name, body]) => [`${format}: ${name}`, body] as const),
  ),
);
