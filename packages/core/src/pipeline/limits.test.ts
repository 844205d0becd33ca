import { describe, expect, it } from "vitest";
import type { Awaitable, DeserializeContext, Serializer } from "../contracts/serializer.js";
import type { EncodedMessage } from "../message/message.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import { plainJson } from "../plain-json.test-support.js";
import { createPipeline } from "./pipeline.js";

/** Reads bodies with a serializer that only records its input. */
function contextFor(options: object, byteLength: number, limits?: "tightened"): DeserializeContext {
  let noted: DeserializeContext | undefined;
  const serializer: Serializer = {
    ...plainJson,
    conforming: true,
    deserialize(_, context) {
      noted = context;
      return [];
    },
  };
  const message = { body: new Uint8Array(byteLength), contentType: "application/json" };
  createPipeline({ serializer, ...options }).deserialize(message, { limits });
  if (noted === undefined) throw new Error("The serializer was not asked.");
  return noted;
}

function read(outcome: Awaitable<DeserializationOutcome>): DeserializationOutcome {
  if (outcome instanceof Promise) throw new TypeError("This pipeline answers at once.");
  return outcome;
}

function detailOf(outcome: DeserializationOutcome): string | undefined {
  return outcome.report.attempts.at(-1)?.detail;
}

const jsonOf = (count: number): EncodedMessage => ({
  body: new TextEncoder().encode(JSON.stringify(Array(count).fill({ a: 1 }))),
  contentType: "application/json",
});

describe("the limit on items", () => {
  it("depends on the size of the body, within bounds", () => {
    const limits = [10, 500_000, 1_000_000, 4_000_000, 5_000_000].map(
      (size) => contextFor({}, size).maxItems,
    );
    expect(limits).toEqual([131_072, 131_072, 250_000, 1_000_000, 1_048_576]);
  });

  it("is the same for all bodies when it is set", () => {
    expect([10, 5_000_000].map((size) => contextFor({ maxItems: 7 }, size).maxItems)).toEqual([7, 7]);
  });

  it("is a tenth for a body that may have crashed a process, but not below a harmless number", () => {
    const tight = (options: object, size: number) => contextFor(options, size, "tightened").maxItems;
    expect([10, 5_000_000].map((size) => tight({}, size))).toEqual([104_858, 104_858]);
    expect(tight({ maxItems: 1_000_000 }, 10)).toBe(100_000);
    expect(tight({ maxItems: 50_000 }, 10)).toBe(32_768);
    expect(tight({ maxItems: 7 }, 10)).toBe(7);
  });

  it("applies to the value of a serializer that does not count items", () => {
    const pipeline = createPipeline({
      serializer: { ...plainJson, conforming: undefined as never },
      maxItems: 6,
    });
    expect(read(pipeline.deserialize(jsonOf(3))).status).toBe("decoded");
    const outcome = read(pipeline.deserialize(jsonOf(4)));
    expect(outcome).toMatchObject({ status: "undeserializable", reason: "DeserializationFailed" });
    expect(outcome.report.attempts).toMatchObject([{ stage: "decode", reason: "items-exceeded" }]);
  });

  it("must be a positive integer", () => {
    for (const maxItems of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY])
      expect(() => createPipeline({ serializer: plainJson, maxItems })).toThrow(
        `maxItems must be a positive integer; got ${maxItems}.`,
      );
  });
});

describe("a body that may have crashed a process", () => {
  it("is refused with a text that explains the lower limit", () => {
    const { conforming: _, ...counted } = plainJson;
    const pipeline = createPipeline({ serializer: counted, maxBodyBytes: 1_000_000 });
    const large = jsonOf(60_000);
    expect(read(pipeline.deserialize(large)).status).toBe("decoded");
    const outcome = read(pipeline.deserialize(large, { limits: "tightened" }));
    expect(detailOf(outcome)).toMatch(/^The body is larger than 100000 bytes\. That is less than usual/);
    const roomy = createPipeline({ serializer: counted });
    expect(detailOf(read(roomy.deserialize(large, { limits: "tightened" })))).toMatch(
      /more than 104858 items.* That is less than usual/,
    );
    expect(read(roomy.deserialize(jsonOf(50_000), { limits: "tightened" })).status).toBe("decoded");
  });
});

describe("an AMQP value", () => {
  const pipeline = createPipeline({ serializer: plainJson });
  const reasonOf = (value: unknown) =>
    read(pipeline.deserialize({ body: { section: "value", value } })).report.attempts.at(-1)?.reason;

  it("is refused with names by which prototypes would change, at any level", () => {
    expect(reasonOf(JSON.parse('{"a":[{"__proto__":{"isAdmin":true}}]}'))).toBe("key-forbidden");
    expect(reasonOf(JSON.parse('{"constructor":{"prototype":{}}}'))).toBe("key-forbidden");
    expect(reasonOf({ constructor: { name: "Order" }, prototype: 1 })).toBeUndefined();
  });
});
