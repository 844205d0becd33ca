import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import type { EncodedMessage } from "../message/message.js";
import { plainJson } from "../plain-json.test-support.js";
import { createPipeline } from "./pipeline.js";

const bytes = new TextEncoder().encode('{"a":1}');
const pipeline = createPipeline({ serializer: plainJson });

function read(body: unknown) {
  return pipeline.deserialize({ body, contentType: "application/json" } as EncodedMessage);
}

function shared(): SharedArrayBuffer {
  const memory = new SharedArrayBuffer(bytes.length);
  new Uint8Array(memory).set(bytes);
  return memory;
}

describe("a body to deserialize", () => {
  it.each<[string, unknown]>([
    ["a Uint8Array", bytes],
    ["a Buffer", Buffer.from(bytes)],
    ["a DataView", new DataView(bytes.buffer, bytes.byteOffset, bytes.length)],
    [
      "a view in the middle of other bytes",
      Buffer.concat([Buffer.of(1), bytes, Buffer.of(2)]).subarray(1, -1),
    ],
    ["an Int8Array", new Int8Array(bytes)],
    ["a Uint8ClampedArray", new Uint8ClampedArray(bytes)],
    ["a Uint8Array of another realm", runInNewContext("Uint8Array.from(bytes)", { bytes: [...bytes] })],
    [
      "a DataView of another realm",
      runInNewContext("new DataView(Uint8Array.from(bytes).buffer)", { bytes: [...bytes] }),
    ],
    ["a Uint8Array on shared memory", new Uint8Array(shared())],
    ["a DataView on shared memory", new DataView(shared())],
  ])("may be %s", (_, body) => {
    expect(read(body)).toMatchObject({
      status: "decoded",
      body: { a: 1 },
      report: { section: "data", bytes: bytes.length },
    });
  });

  it("on shared memory is copied before it is read, because it may change meanwhile", () => {
    const memory = shared();
    const changing = createPipeline({
      serializer: {
        ...plainJson,
        deserialize(input, context) {
          new Uint8Array(memory).fill(0x20);
          return plainJson.deserialize(input, context);
        },
      },
    });
    expect(
      changing.deserialize({ body: new Uint8Array(memory), contentType: "application/json" }),
    ).toMatchObject({ body: { a: 1 } });
  });

  it.each<[string, unknown, string]>([
    ["a string", '{"a":1}', "not a string. Encode a text first: new TextEncoder().encode(text)."],
    ["an ArrayBuffer", bytes.buffer, "not ArrayBuffer. Make a view of it: new Uint8Array(buffer)."],
    ["a SharedArrayBuffer", shared(), "not SharedArrayBuffer. Make a view of it"],
    ["nothing", undefined, "not undefined."],
    ["null", null, "not null."],
    ["a number", 7, "not a number."],
    ["an array", [1, 2], "not an array."],
    ["an object", { a: 1 }, "not an object."],
    ["an unknown section", { section: "footer", value: 1 }, "not an object."],
    ["a sequence that is not a list", { section: "sequence", value: 1 }, "not an object."],
    ["a function", () => bytes, "not a function."],
  ])("is refused when it is %s", (_, body, text) => {
    expect(() => read(body)).toThrow(TypeError);
    expect(() => read(body)).toThrow(
      "The body to deserialize must be bytes (a Uint8Array or another view), or",
    );
    expect(() => read(body)).toThrow(text);
  });

  it("must be in a message", () => {
    for (const message of [undefined, null, 5]) {
      expect(() => pipeline.deserialize(message as never)).toThrow(
        "deserialize needs a message, with its body.",
      );
    }
  });
});
