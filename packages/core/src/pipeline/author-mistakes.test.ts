import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import type { Serializer } from "../contracts/serializer.js";
import { attemptDetails } from "../message/decisive-attempt.js";
import { createPipeline } from "./pipeline.js";

/** A mistake of a serializer's author, whose error text quotes the input. */
function findTheTotal(value: unknown): never {
  throw new TypeError(`no total in ${JSON.stringify(value)}`);
}

const faulty: Serializer = {
  name: "faulty",
  mediaTypes: ["application/x-faulty"],
  detection: "label",
  serialize: (value) => findTheTotal(value),
  deserialize: (bytes) => findTheTotal(new TextDecoder().decode(bytes)),
};
const message = { contentType: "application/x-faulty", body: new TextEncoder().encode("card 4111") };

describe("a mistake in a serializer", () => {
  it("is shown with its stack and without its text when it writes", () => {
    const pipeline = createPipeline({ serializer: faulty });
    const write = () => pipeline.serialize({ body: { card: 4111 } });
    expect(write).toThrow("faulty: the serializer threw an unexpected TypeError.");
    try {
      write();
    } catch (error) {
      const { cause } = error as Error;
      expect(cause).toBeInstanceOf(TypeError);
      expect((cause as Error).stack).toContain("findTheTotal");
      expect(inspect(error)).not.toContain("4111");
    }
  });

  it("is shown with its stack and without its text when it reads", () => {
    const outcome = createPipeline({ serializer: faulty }).deserialize(message);
    if (outcome instanceof Promise) throw new Error("asynchronous");
    const [attempt] = outcome.report.attempts;
    expect(attempt).toMatchObject({ reason: "serializer-fault" });
    expect(attempt?.cause).toBeInstanceOf(TypeError);
    expect(attempt?.cause?.stack).toContain("findTheTotal");
    expect(attemptDetails(outcome.report).cause).toBe(attempt?.cause);
    expect(inspect(outcome, { depth: 9 })).not.toContain("4111");
  });

  it("is named when no bytes are returned", () => {
    const pipeline = createPipeline({ serializer: { ...faulty, serialize: () => ({ body: 1 }) as never } });
    expect(() => pipeline.serialize({ body: 1 })).toThrow(
      "[serialization-failed] faulty: serialize returned no bytes; it returns { bytes } with a Uint8Array.",
    );
  });
});
