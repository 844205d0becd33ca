import { describe, expect, it } from "vitest";
import type { Serializer } from "../contracts/serializer.js";
import { WaybillError } from "../errors/error.js";
import { decodeFailure, unavailableFailure } from "../errors/failure.js";
import { bytes } from "../serializers/bytes-serializer.js";
import { text } from "../serializers/text-serializer.js";
import type { PipelineOptions } from "./options.js";
import { createPipeline } from "./pipeline.js";

const utf8 = new TextEncoder();

/** JSON text, which must be a container if it has no content type. */
const json: Serializer = {
  name: "json",
  mediaTypes: ["application/json"],
  detection: "structure",
  leadingBytes: [0x7b, 0x5b],
  conforming: true,
  serialize: (value) => ({ bytes: utf8.encode(JSON.stringify(value)) }),
  deserialize(body, { isDeclared }) {
    if (!isDeclared && body[0] !== 0x7b && body[0] !== 0x5b) {
      throw decodeFailure("root-not-container", "Not a container.");
    }
    try {
      return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
    } catch {
      throw decodeFailure("malformed", "Not JSON.");
    }
  },
};

/** A format with a header: `#`, then JSON text. */
const hash: Serializer = {
  ...json,
  name: "hash",
  mediaTypes: ["application/hash"],
  detection: "magic",
  leadingBytes: [0x23],
  deserialize: (body, context) => json.deserialize(body.subarray(1), { ...context, isDeclared: true }),
};

/** What `@azure/service-bus` writes for `body: value`. */
const sdkBodies: readonly [string, unknown][] = [
  ['"hello"', "hello"],
  ['""', ""],
  ["42", 42],
  ["-0.5", -0.5],
  ["true", true],
  ["false", false],
  ["null", null],
  ['"2026-11-05T12:34:56.789Z"', "2026-11-05T12:34:56.789Z"],
  ['{"a":[1]}', { a: [1] }],
  ["[]", []],
];

function read(body: string | Uint8Array, options: Partial<PipelineOptions>, contentType?: string) {
  const pipeline = createPipeline({ serializer: json, additionalDeserializers: [hash], ...options });
  return pipeline.deserialize({ body: typeof body === "string" ? utf8.encode(body) : body, contentType });
}

describe("a body without a content type", () => {
  const assumed = { contentTypePolicies: { missing: { assume: "json" } } } as const;

  it.each(sdkBodies)("is read in the format that the policy assumes, also a scalar: %s", (body, value) => {
    expect(read(body, assumed)).toMatchObject({
      status: "decoded",
      body: value,
      report: { serializer: "json", position: 0, declared: undefined, assumed: "json", attempts: [] },
    });
  });

  it("can be read by any serializer of the chain that the policy names", () => {
    const chain = { serializer: hash, additionalDeserializers: [json, text(), bytes()] };
    const readAs = (assume: string) => read("42", { ...chain, contentTypePolicies: { missing: { assume } } });
    expect(readAs("json")).toMatchObject({ body: 42, report: { position: 1 } });
    expect(readAs("text")).toMatchObject({ body: "42", report: { position: 2, assumed: "text" } });
    expect(readAs("bytes")).toMatchObject({ body: Uint8Array.of(0x34, 0x32), report: { position: 3 } });
  });

  it("is recognised by another serializer if the assumption fails", () => {
    expect(read("#[1]", assumed)).toMatchObject({
      body: [1],
      report: {
        serializer: "hash",
        assumed: "json",
        attempts: [{ serializer: "json", reason: "malformed" }],
      },
    });
  });

  it("is recognised even if a wrong content type would be final, since it has no content type", () => {
    const policies = { missing: { assume: "json" }, mismatch: "reject" } as const;
    expect(read("#[1]", { contentTypePolicies: policies })).toMatchObject({ body: [1] });
  });

  it("is dead-lettered if no serializer reads it, and the description has the assumed format", () => {
    expect(read("hello", assumed)).toMatchObject({
      status: "undeserializable",
      reason: "DeserializationFailed",
      description: [
        "No deserializer could read the body (5 bytes, no content type, assumed to be json).",
        'It looks like plain text: add text(), with contentTypePolicies: { missing: { assume: "text" } } (@waybill/core).',
        "json [0] decode: malformed: Not JSON.",
        "hash [1] select: not-recognized: The body does not start like this format.",
      ].join("\n"),
    });
  });

  it("is not refused if the assumed format needs an unavailable dependency", async () => {
    const offline: Serializer = {
      ...hash,
      deserialize: async () => {
        throw unavailableFailure("The registry does not respond.");
      },
    };
    const options = {
      additionalDeserializers: [offline],
      contentTypePolicies: { missing: { assume: "hash" } },
    };
    expect(await read("[1]", options)).toMatchObject({ status: "unavailable" });
  });

  it("has no assumed format in a chain of several serializers, unless configured", () => {
    expect(read("42", {})).toMatchObject({ status: "undeserializable", report: { assumed: undefined } });
  });
});

describe("a chain of one serializer", () => {
  const alone = { additionalDeserializers: [] };

  it.each(sdkBodies)("assumes its format by default: %s", (body, value) => {
    for (const type of [undefined, "", "application/octet-stream"]) {
      expect(read(body, alone, type)).toMatchObject({ body: value, report: { assumed: "json" } });
    }
  });

  it("requires evidence if configured", () => {
    expect(read("42", { ...alone, contentTypePolicies: { missing: "try-all" } })).toMatchObject({
      status: "undeserializable",
      report: { attempts: [{ reason: "not-recognized" }] },
    });
    expect(read("[42]", { ...alone, contentTypePolicies: { missing: "reject" } })).toMatchObject({
      report: { attempts: [{ reason: "content-type-missing" }] },
    });
  });

  it("assumes nothing for an unknown content type", () => {
    expect(read("42", alone, "application/x-order")).toMatchObject({ status: "undeserializable" });
  });
});

describe("an unknown content type", () => {
  const assumed = { contentTypePolicies: { unknown: { assume: "json" } } } as const;

  it.each([
    ["application/x-order", "content-type-unknown"],
    ["json", "content-type-malformed"],
  ])("is read in the format that the policy assumes: %s", (type, reason) => {
    expect(read("42", assumed, type)).toMatchObject({
      body: 42,
      report: { assumed: "json", attempts: [{ stage: "select", reason }] },
    });
  });

  it("does not affect known formats", () => {
    expect(read("42", assumed, "text/plain")).toMatchObject({
      status: "undeserializable",
      report: { assumed: undefined },
    });
  });
});

describe("the content type of another format", () => {
  it.each([
    ["text/plain; charset=iso-8859-1"],
    ["text/csv"],
    ["application/xml"],
    ["application/atom+xml;charset=utf-8"],
    ["application/x-protobuf"],
    ["application/cbor"],
    ["image/png"],
  ])("is final, so no other format is tried: %s", (type) => {
    expect(read("[1]", {}, type)).toMatchObject({
      status: "undeserializable",
      reason: "NoDeserializer",
      report: {
        attempts: [
          { reason: "content-type-foreign" },
          { serializer: "json", reason: "not-recognized" },
          { serializer: "hash", reason: "not-recognized" },
        ],
      },
    });
  });

  it.each(["text/plain", "Text/Plain; charset=UTF-8", "application/atom+xml;type=entry;charset=utf-8"])(
    "names no format if it is only text: %s",
    (type) => {
      expect(read("[1]", {}, type)).toMatchObject({
        body: [1],
        report: { serializer: "json", assumed: undefined, attempts: [{ reason: "content-type-foreign" }] },
      });
      const binary: Serializer = {
        ...json,
        name: "binary",
        mediaTypes: ["application/binary"],
        leadingBytes: [0x92],
        deserialize: () => [1],
      };
      const pipeline = createPipeline({ serializer: json, additionalDeserializers: [binary] });
      const message = { body: Uint8Array.of(0x92) };
      expect(pipeline.deserialize(message)).toMatchObject({ body: [1] });
      expect(pipeline.deserialize({ ...message, contentType: type })).toMatchObject({
        status: "undeserializable",
      });
      for (const body of ["42", "[1", "hello"])
        expect(read(body, {}, type)).toMatchObject({ status: "undeserializable" });
      expect(read("[1]", { contentTypePolicies: { foreign: "reject" } }, type)).toMatchObject({
        status: "undeserializable",
      });
    },
  );

  it("does not prevent a serializer from reading a format with a header", () => {
    expect(read("#[1]", {}, "text/plain")).toMatchObject({
      body: [1],
      report: { serializer: "hash", attempts: [{ reason: "content-type-foreign" }] },
    });
  });

  it("is overruled by a policy", () => {
    expect(read("[1]", { contentTypePolicies: { foreign: "try-all" } }, "text/csv")).toMatchObject({
      body: [1],
    });
    const assumed = { contentTypePolicies: { foreign: { assume: "json" } } } as const;
    expect(read("42", assumed, "text/plain")).toMatchObject({ body: 42, report: { assumed: "json" } });
    expect(read("#[1]", { contentTypePolicies: { foreign: "reject" } }, "text/plain")).toMatchObject({
      status: "undeserializable",
    });
  });

  it("is like any other if a serializer has it", () => {
    const chain = { additionalDeserializers: [text(), bytes()] };
    expect(read("42", chain, "text/plain")).toMatchObject({ body: "42", report: { declared: "text" } });
    expect(read("42", chain, "application/octet-stream")).toMatchObject({
      body: utf8.encode("42"),
      report: { declared: "bytes" },
    });
  });
});

describe("a policy", () => {
  const make = (contentTypePolicies: object) => () =>
    createPipeline({ serializer: json, contentTypePolicies });

  it("that assumes a missing serializer is refused when the pipeline is created", () => {
    for (const name of ["missing", "unknown", "foreign"]) {
      expect(make({ [name]: { assume: "xml" } })).toThrow(WaybillError);
      expect(make({ [name]: { assume: "xml" } })).toThrow(
        `[configuration-invalid] contentTypePolicies.${name} assumes "xml", and no serializer of the pipeline has that name; it has "json".`,
      );
    }
  });

  it("with an invalid value throws a TypeError", () => {
    expect(make({ missing: "try-magic" })).toThrow(
      'contentTypePolicies.missing must be "try-all", "reject" or',
    );
    expect(make({ mismatch: { assume: "json" } })).toThrow(
      'contentTypePolicies.mismatch must be "try-all", "reject"',
    );
    expect(make({ unknown: { assumes: "json" } })).toThrow(TypeError);
  });
});
