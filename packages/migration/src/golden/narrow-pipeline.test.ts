import { createPipeline, defineMessage, type MessageType } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { asRead, narrowPipeline, typeAsOf } from "./narrow-pipeline.js";

const same = (body: unknown) => body;
const order: MessageType = defineMessage("order", {
  version: 3,
  unversioned: 2,
  upcasters: { 1: { to: 3, cast: same }, 2: same },
  downcasters: { 3: same },
});

describe("a message type as of an earlier version", () => {
  it("has the versions that lead to it, and no downcasters from others", () => {
    const second = typeAsOf(order, 2);
    expect(second).toMatchObject({ version: 2, unversioned: 2 });
    expect(second?.versions.map(({ version, upcastPath }) => [version, upcastPath])).toEqual([[2, []]]);
    expect(typeAsOf(order, 3)?.versions.map(({ version, upcastPath }) => [version, upcastPath])).toEqual([
      [1, [1, 3]],
      [2, [2, 3]],
      [3, []],
    ]);
  });

  it("reads no message without a version if that version does not lead to it", () => {
    expect(typeAsOf(order, 1)).toMatchObject({ version: 1, unversioned: undefined });
    expect(typeAsOf(order, 1)?.versions).toMatchObject([{ version: 1, upcasts: [], upcastPath: [] }]);
  });

  it("is none of a version that there is not", () => {
    expect(typeAsOf(order, 4)).toBeUndefined();
    expect(typeAsOf(defineMessage("order", { version: 2, unused: [1] }), 1)).toBeUndefined();
  });
});

describe("a body that is read again", () => {
  const report = { serializer: "json", declared: undefined, assumed: undefined };
  const again = (more: object) => asRead({ ...report, ...more } as unknown as Parameters<typeof asRead>[0]);

  it("is read by the same serializer, as declared if it was declared or assumed", () => {
    expect(again({ declared: "json" })).toEqual({ readAs: { serializer: "json", isDeclared: true } });
    expect(again({ assumed: "json" })).toEqual({ readAs: { serializer: "json", isDeclared: true } });
    expect(again({ declared: "avro" })).toEqual({ readAs: { serializer: "json", isDeclared: false } });
  });

  it("needs no serializer if it needed none before", () => {
    expect(again({ serializer: undefined })).toEqual({});
  });
});

it("a pipeline of some serializers needs one", () => {
  const whole = createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] });
  expect(() => narrowPipeline(whole, [], undefined)).toThrow("A pipeline needs at least one serializer.");
  const narrow = narrowPipeline(whole, whole.serializers.slice(1), order);
  expect(narrow.serializers.map(({ name }) => name)).toEqual(["msgpack"]);
  expect(narrow.messageTypes).toEqual([order]);
});
