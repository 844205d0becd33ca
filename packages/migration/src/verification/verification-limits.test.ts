import { createPipeline, type EncodedMessage, type Pipeline, type Serializer } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { afterEach, describe, expect, it, vi } from "vitest";
import { Verification } from "./verification.js";

afterEach(() => void vi.restoreAllMocks());

const pipeline = createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] });

function labelled(text: string): EncodedMessage {
  return { body: new TextEncoder().encode(text), contentType: "application/json" };
}

describe("the messages that are verified", () => {
  it("are taken by chance", async () => {
    const verification = new Verification({ sampleRate: 0.5 });
    const observed = verification.observe(pipeline);
    const random = vi.spyOn(Math, "random");
    for (const value of [0, 0.49, 0.5, 0.99]) {
      random.mockReturnValue(value);
      observed.deserialize(labelled("{}"));
    }
    expect(await verification.report()).toMatchObject({ verified: 2 });
  });

  it("are those that were read, at once or later, not those that a tool reads in a format of its choice", async () => {
    const verification = new Verification({ sampleRate: 1 });
    const observed = verification.observe(pipeline);
    const readAs = { serializer: "json" };
    expect(observed.deserialize(labelled("{}"), { readAs })).toMatchObject({ status: "decoded" });
    expect(observed.deserialize(labelled("{"))).toMatchObject({ status: "undeserializable" });
    await verification.verify(pipeline, labelled("{"));
    expect(await verification.report()).toMatchObject({ verified: 0 });

    const later: Pipeline = {
      ...pipeline,
      deserialize: async (...how: Parameters<Pipeline["deserialize"]>) => pipeline.deserialize(...how),
    };
    expect(await verification.observe(later).deserialize(labelled("{}"))).toMatchObject({ body: {} });
    expect(await verification.report()).toMatchObject({ verified: 1 });
  });

  it("are a hundred at a time", async () => {
    const verification = new Verification({ sampleRate: 1 });
    const observed = verification.observe(pipeline);
    for (let count = 0; count < 101; count++) observed.deserialize(labelled("{}"));
    expect(await verification.report()).toMatchObject({ verified: 100 });
    observed.deserialize(labelled("{}"));
    expect(await verification.report()).toMatchObject({ verified: 101 });
  });

  it("have to be read by a serializer", async () => {
    const verification = new Verification({ sampleRate: 1 });
    const observed = verification.observe(pipeline);
    observed.deserialize({ body: { section: "value", value: 7 } });
    observed.deserialize({ body: new Uint8Array() });
    expect(await verification.report()).toMatchObject({ ambiguities: [] });
  });
});

describe("the ambiguities that a verification reports", () => {
  it("begin with the harmful ones, however rare, and have five samples", async () => {
    // Whatever the text: the same value, and another one for text with an "a".
    const twin: Serializer = {
      ...{ ...json(), name: "twin", mediaTypes: ["application/twin"] },
      ...{ detection: "label", leadingBytes: [] },
    };
    const third: Serializer = {
      ...twin,
      name: "third",
      mediaTypes: ["application/third"],
      deserialize: (bytes: Uint8Array) => {
        if (!new TextDecoder().decode(bytes).includes("a")) throw new Error("no a");
        return { other: true };
      },
    };
    const chain = createPipeline({ serializer: json(), additionalDeserializers: [twin, third] });
    const verification = new Verification({ sampleRate: 1 });
    for (let n = 0; n < 6; n++) await verification.verify(chain, labelled(`{"n":${n}}`));
    await verification.verify(chain, labelled('{"a":1}'));
    const { ambiguities } = await verification.report();
    expect(
      ambiguities.map(({ other, isHarmless, count, samples }) => [
        ...[other.serializer, isHarmless, count, samples.length],
      ]),
    ).toEqual([
      ["third", false, 1, 1],
      ["twin", true, 7, 5],
    ]);
  });

  it("are 1,000 at most", async () => {
    const verification = new Verification({ sampleRate: 1 });
    for (let n = 0; n < 1_001; n++) {
      const serializer = { ...json(), name: `json-${n}` };
      const chain = createPipeline({ serializer, additionalDeserializers: [msgpack()] });
      await verification.verify(chain, labelled("7"));
    }
    const { ambiguities, uncounted } = await verification.report();
    expect([ambiguities.length, uncounted]).toEqual([1_000, 1]);
  });
});
