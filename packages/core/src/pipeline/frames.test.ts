import { describe, expect, it } from "vitest";
import type { Serializer } from "../contracts/serializer.js";
import type { EncodedMessage } from "../message/message.js";
import { createPipeline } from "./pipeline.js";

const bytes = new TextEncoder().encode("{}");

/** The functions of waybill between the call of a pipeline and that of its serializer, and their files. */
function framesToSerializer(work: (serializer: Serializer) => unknown): { functions: number; files: number } {
  let stack = "";
  const record = (): never => {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 100;
    stack = new Error("here").stack ?? "";
    Error.stackTraceLimit = stackTraceLimit;
    throw new Error("It cannot read this.");
  };
  const recording: Serializer = {
    name: "recording",
    mediaTypes: ["application/json"],
    detection: "structure",
    leadingBytes: [0x7b],
    serialize: record,
    deserialize: record,
  };
  work(recording);
  const own = [...stack.matchAll(/packages\/core\/src\/([\w/-]+\.ts)/g)].map((match) => match[1]);
  return { functions: own.length, files: new Set(own).size };
}

describe("the way to a serializer", () => {
  it.each<[string, EncodedMessage]>([
    ["of a labelled body", { body: bytes, contentType: "application/json" }],
    ["of an unlabelled body", { body: bytes }],
    [
      "of a text in an AMQP value",
      { body: { section: "value", value: "{}" }, contentType: "application/json" },
    ],
  ])("is short for the bytes %s", (_, message) => {
    const { functions, files } = framesToSerializer((serializer) =>
      createPipeline({ serializer }).deserialize(message),
    );
    expect(functions).toBeGreaterThan(0);
    expect(functions).toBeLessThanOrEqual(6);
    expect(files).toBeLessThanOrEqual(4);
  });
});
