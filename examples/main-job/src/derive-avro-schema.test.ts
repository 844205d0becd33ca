import avsc from "avsc";
import { describe, expect, it } from "vitest";
import { deriveAvroSchema } from "./derive-avro-schema.js";
import { versionOf, webhookVersions } from "./webhook-versions.js";
import { webhooks } from "./webhooks.js";

describe("deriveAvroSchema", () => {
  it("derives a record from objects that have the same keys", () => {
    expect(
      deriveAvroSchema("point", [
        { x: 1, y: 2 },
        { y: 3, x: 4.5 },
      ]),
    ).toEqual({
      type: "record",
      name: "point",
      fields: [
        { name: "x", type: "double" },
        { name: "y", type: "long" },
      ],
    });
  });

  it("derives a map from objects whose keys differ, because Avro has no absent fields", () => {
    expect(deriveAvroSchema("labels", [{ a: 1 }, { b: null }])).toEqual({
      type: "map",
      values: ["null", "long"],
    });
  });

  it("derives a map from objects whose keys are not valid Avro names", () => {
    expect(deriveAvroSchema("reactions", [{ "+1": 2 }])).toEqual({ type: "map", values: "long" });
  });

  it("derives a union from values of several kinds", () => {
    expect(deriveAvroSchema("x", [null, "a", 1, true, []])).toEqual([
      "null",
      "boolean",
      "long",
      "string",
      { type: "array", items: "null" },
    ]);
  });

  it("gives every record a unique name", () => {
    const schema = deriveAvroSchema("a", [{ b: { c_d: { x: 1 } }, b_c: { d: { x: 1 } } }]);
    expect(() => avsc.Type.forSchema(schema as avsc.Schema)).not.toThrow();
  });
});

describe("webhookVersions", () => {
  it("can write all 329 payloads and read each back exactly", () => {
    const types = new Map(
      webhookVersions.map((version) => [
        version,
        avsc.Type.forSchema(version.schema as avsc.Schema, { wrapUnions: "never" }),
      ]),
    );
    expect(webhooks).toHaveLength(329);
    for (const webhook of webhooks) {
      const type = types.get(versionOf(webhook))!;
      const decoded: unknown = type.fromBuffer(type.toBuffer(webhook.payload));
      expect(JSON.parse(JSON.stringify(decoded))).toEqual(webhook.payload);
    }
  });

  it("describe most objects as records", () => {
    const text = JSON.stringify(webhookVersions);
    expect(text.split('"type":"record"').length).toBeGreaterThan(5 * text.split('"type":"map"').length);
  });
});
