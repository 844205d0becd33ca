import { createPipeline, type Serializer } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { cbor } from "@waybill/serializer-cbor";
import { describe, expect, it } from "vitest";

/** Bytes that programs in other languages are documented or tested to write, of these values. */
const published: readonly {
  readonly by: string;
  readonly serializer: Serializer;
  readonly contentType: string;
  readonly bytes: readonly number[];
  readonly value: unknown;
}[] = [
  {
    // Source: hamba/avro v2, the example of its documentation; the schema's name and namespace are this test's.
    by: "hamba/avro for Go, a record",
    serializer: avro({
      schema: {
        type: "record",
        name: "Pair",
        fields: [
          { name: "a", type: "long" },
          { name: "b", type: "string" },
        ],
      },
      schemaId: "1",
      framing: "raw",
    }),
    contentType: "avro/binary+1",
    bytes: [54, 6, 102, 111, 111],
    value: { a: 27, b: "foo" },
  },
  {
    // Source: jackson-dataformats-binary, issue 431; SolarNetwork's CborUtilsTests.
    by: "Jackson for Java, the BigInteger -1 in CBOR",
    serializer: cbor(),
    contentType: "application/cbor",
    bytes: [0xc3, 0x41, 0x00],
    value: -1,
  },
];

describe.each(published)("published bytes of $by", ({ serializer, contentType, bytes, value }) => {
  const pipeline = createPipeline({ serializer });

  it("is read", async () => {
    const outcome = await pipeline.deserialize({ body: Uint8Array.from(bytes), contentType });
    expect(outcome).toMatchObject({ status: "decoded", body: value });
  });
});

it("Avro of Go is written byte for byte", async () => {
  const [go] = published;
  const message = await createPipeline({ serializer: go?.serializer as Serializer }).serialize({
    body: go?.value,
  });
  expect(message).toMatchObject({ body: Uint8Array.from(go?.bytes ?? []), contentType: go?.contentType });
});
