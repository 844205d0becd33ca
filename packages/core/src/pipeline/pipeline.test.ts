import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { Awaitable, DeserializeContext, Serializer } from "../contracts/serializer.js";
import { WaybillError } from "../errors/error.js";
import { decodeFailure, unavailableFailure, validationFailure } from "../errors/failure.js";
import type { EncodedMessage } from "../message/message.js";
import type { PipelineOptions } from "./options.js";
import { createPipeline } from "./pipeline.js";

const utf8 = new TextEncoder();

/** JSON text, as small as a serializer can be. */
const text: Serializer = {
  name: "text",
  mediaTypes: ["application/json", "+json"],
  detection: "structure",
  leadingBytes: [0x7b, 0x5b],
  conforming: true,
  serialize: (value) => ({ bytes: utf8.encode(JSON.stringify(value)) }),
  deserialize: (bytes) => {
    try {
      return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch (error) {
      throw decodeFailure("malformed", "This is not JSON.", error);
    }
  },
};

/** A format with a header: `#`, then JSON text. */
const hash = variant("hash", 0x23, (bytes, context) => text.deserialize(bytes.subarray(1), context));

function variant(
  name: string,
  leadingByte: number | undefined,
  deserialize: (bytes: Uint8Array, context: DeserializeContext) => Awaitable<unknown>,
): Serializer {
  return {
    name,
    mediaTypes: [`application/${name}`],
    detection: leadingByte === undefined ? "label" : "magic",
    ...(leadingByte === undefined ? {} : { leadingBytes: [leadingByte] }),
    serialize: (value) => ({ bytes: utf8.encode(`#${JSON.stringify(value)}`) }),
    deserialize,
  };
}

function read(body: string | Uint8Array, options: Partial<PipelineOptions> = {}, contentType?: string) {
  const bytes = typeof body === "string" ? utf8.encode(body) : body;
  return createPipeline({ serializer: text, ...options }).deserialize({ body: bytes, contentType });
}

afterEach(() => void vi.useRealTimers());

describe("serialize", () => {
  it("writes with the main serializer and sets the content type", () => {
    const message = createPipeline({ serializer: text }).serialize({ body: { a: 1 }, messageId: "m" });
    expect(message).toEqual({
      messageId: "m",
      contentType: "application/json",
      body: utf8.encode('{"a":1}'),
    });
  });

  it("writes with the serializer that has the message's content type, and keeps the content type", () => {
    const pipeline = createPipeline({ serializer: text, additionalDeserializers: [hash] });
    expect(pipeline.serialize({ body: [1], contentType: "Application/Hash; v=2" })).toMatchObject({
      contentType: "Application/Hash; v=2",
      body: utf8.encode("#[1]"),
    });
  });

  it("refuses a content type without a serializer, naming the message", () => {
    const pipeline = createPipeline({ serializer: text });
    expect(() => pipeline.serialize({ body: 1, messageId: "m1", contentType: "text/xml" })).toThrow(
      '[serialization-failed] message "m1", select: no configured serializer claims the content type "text/xml"',
    );
  });

  it("names message and format when a serializer throws, but not its text, which may quote the payload", () => {
    const broken = {
      ...text,
      serialize: () => {
        throw new RangeError("secret 4711");
      },
    };
    const act = () => createPipeline({ serializer: broken }).serialize({ body: 1, messageId: "m1" });
    expect(act).toThrow(
      '[serialization-failed] message "m1", text: the serializer threw an unexpected RangeError.',
    );
    expect(act).not.toThrow("4711");
  });

  it("refuses a body beyond the limit", () => {
    expect(() =>
      createPipeline({ serializer: text, maxBodyBytes: 10 }).serialize({ body: "x".repeat(20) }),
    ).toThrow("[message-too-large] text: the body has 22 bytes, more than the 10 that are allowed.");
  });

  it("returns a promise only when the serializer does", async () => {
    const slow: Serializer = { ...text, serialize: async (value, context) => text.serialize(value, context) };
    const promise = createPipeline({ serializer: slow }).serialize({ body: 1 });
    expect(promise).toBeInstanceOf(Promise);
    expect(await promise).toMatchObject({ body: utf8.encode("1") });
  });

  it.each(["gzip", "deflate", "br"] as const)(
    "compresses with %s if configured, and reads it back",
    (coding) => {
      const pipeline = createPipeline({ serializer: text, compression: { coding } });
      const body = { text: "la".repeat(2000) };
      const message = pipeline.serialize({ body, applicationProperties: { tenant: "t" } });
      expect(message).toMatchObject({ applicationProperties: { "Content-Encoding": coding, tenant: "t" } });
      expect((message as { body: Uint8Array }).body.length).toBeLessThan(200);
      // A pipeline that does not compress also reads compressed bodies.
      expect(createPipeline({ serializer: text }).deserialize(message as never)).toMatchObject({
        status: "decoded",
        body,
        report: { contentEncodings: [coding] },
      });
    },
  );

  it("leaves small bodies, and those that would not shrink, uncompressed", () => {
    const pipeline = createPipeline({ serializer: text, compression: { coding: "gzip", minBytes: 100 } });
    expect(pipeline.serialize({ body: "small" })).not.toHaveProperty("applicationProperties");
    const noise = Array.from({ length: 60 }, (_, i) => String.fromCharCode(33 + ((i * 7919) % 90))).join("");
    expect(
      createPipeline({ serializer: text, compression: { coding: "gzip", minBytes: 0 } }).serialize({
        body: noise,
      }),
    ).not.toHaveProperty("applicationProperties");
  });

  it("compresses a single message that has a Content-Encoding property", () => {
    const pipeline = createPipeline({ serializer: text });
    const message = pipeline.serialize({
      body: [1],
      applicationProperties: { "Content-Encoding": "deflate, gzip" },
    });
    expect(pipeline.deserialize(message as never)).toMatchObject({
      body: [1],
      report: { contentEncodings: ["gzip", "deflate"] },
    });
  });

  it("treats the property in lower case in the same way, so that what it writes can be read", () => {
    const pipeline = createPipeline({ serializer: text, compression: { coding: "br", minBytes: 0 } });
    const message = pipeline.serialize({ body: [1], applicationProperties: { "content-encoding": "gzip" } });
    expect(message).toMatchObject({ applicationProperties: { "Content-Encoding": "gzip" } });
    expect((message as EncodedMessage).applicationProperties).not.toHaveProperty("content-encoding");
    expect(pipeline.deserialize(message as EncodedMessage)).toMatchObject({
      body: [1],
      report: { contentEncodings: ["gzip"] },
    });
  });

  it("treats AMQP's property in the same way, and writes the application property instead", () => {
    const pipeline = createPipeline({ serializer: text });
    const message = pipeline.serialize({ body: [1], contentEncoding: "gzip" }) as EncodedMessage;
    expect(message.applicationProperties).toEqual({ "Content-Encoding": "gzip" });
    expect(message.contentEncoding).toBeUndefined();
    expect(pipeline.deserialize(message)).toMatchObject({ body: [1] });
    const empty = pipeline.serialize({ body: undefined, contentEncoding: "gzip" }) as EncodedMessage;
    expect(empty.contentEncoding).toBeUndefined();
    const named = pipeline.serialize({ body: [1], contentEncoding: "utf-8" });
    expect(named).toMatchObject({ body: utf8.encode("[1]"), contentEncoding: "utf-8" });
  });
});

describe("AMQP's property content-encoding", () => {
  const read = (properties: object, bytes: Uint8Array = gzipSync("[1]")) =>
    createPipeline({ serializer: text }).deserialize({ ...properties, body: bytes });

  it.each([
    ["alone", { contentEncoding: "gzip" }],
    ["beside the same application property", properties("gzip", "gzip")],
    ["beside an application property that is null", properties("gzip", null)],
    ["beside other application properties", { contentEncoding: "x-gzip", applicationProperties: { a: 1 } }],
    ["with another coding than the application property", properties("br", "gzip")],
  ])("is undone like the application property: %s", (_, given) => {
    expect(read(given)).toMatchObject({
      status: "decoded",
      body: [1],
      report: { contentEncodings: ["gzip"] },
    });
  });

  it.each(["utf-8", "identity", "binary", "8bit"])(
    "may say that nothing is compressed: %s",
    (contentEncoding) => {
      expect(read({ contentEncoding }, utf8.encode("[1]"))).toMatchObject({ body: [1] });
    },
  );

  it("refuses an unknown coding, and is ignored if encodings are", () => {
    expect(read({ contentEncoding: "zstd" })).toMatchObject({
      report: { attempts: [{ reason: "content-encoding-unknown" }] },
    });
    const ignoring = createPipeline({ serializer: text, contentEncoding: "ignore" });
    const message = { contentEncoding: "gzip", body: utf8.encode("[1]") };
    expect(ignoring.deserialize(message)).toMatchObject({ body: [1] });
  });

  function properties(contentEncoding: string, property: string | null) {
    return { contentEncoding, applicationProperties: { "Content-Encoding": property } };
  }
});

describe("deserialize", () => {
  it("reports how long reading took where the call asks", () => {
    const timed = createPipeline({ serializer: text }).deserialize(
      { body: utf8.encode("[1]"), contentType: "application/json" },
      { isTimed: true },
    );
    expect(timed).toMatchObject({ report: { durationInMs: expect.any(Number) } });
    expect(read("[1]")).toMatchObject({ report: { durationInMs: undefined } });
  });

  describe("a declared body", () => {
    it("is read by the serializer that has its content type", () => {
      expect(read("[1]", {}, "application/vnd.acme+json; charset=utf-8")).toMatchObject({
        status: "decoded",
        body: [1],
        report: {
          serializer: "text",
          position: 0,
          declared: "text",
          attempts: [],
          section: "data",
          bytes: 3,
        },
      });
    });

    it("may be a scalar", () => {
      expect(read("7", {}, "application/json")).toMatchObject({ status: "decoded", body: 7 });
    });

    it("is read by an additional deserializer when the declared one fails", () => {
      expect(read('#{"a":1}', { additionalDeserializers: [hash] }, "application/json")).toMatchObject({
        body: { a: 1 },
        report: {
          serializer: "hash",
          position: 1,
          declared: "text",
          attempts: [
            {
              serializer: "text",
              position: 0,
              stage: "decode",
              reason: "malformed",
              detail: "This is not JSON.",
            },
          ],
        },
      });
    });

    it("is refused when the declared one fails and the policy for mismatches is reject", () => {
      const outcome = read(
        "#[1]",
        { additionalDeserializers: [hash], contentTypePolicies: { mismatch: "reject" } },
        "application/json",
      );
      expect(outcome).toMatchObject({ status: "undeserializable", reason: "DeserializationFailed" });
    });
  });

  describe("an undeclared body", () => {
    it.each([undefined, "", " ", "application/octet-stream"])(
      "with the content type %j is recognised by its bytes",
      (type) => {
        expect(read("#[1]", { additionalDeserializers: [hash] }, type)).toMatchObject({
          status: "decoded",
          body: [1],
          report: { serializer: "hash", position: 1, declared: undefined, attempts: [] },
        });
      },
    );

    it.each([
      ["application/x-order", "content-type-unknown"],
      ["json", "content-type-malformed"],
      // Values from a transport or a program without types.
      [null as unknown as string, "content-type-malformed"],
      [5 as unknown as string, "content-type-malformed"],
    ])(
      "with the content type %j is also recognised, and the report has the problem of the content type",
      (type, reason) => {
        expect(read("[1]", {}, type)).toMatchObject({
          body: [1],
          report: { attempts: [{ serializer: undefined, position: -1, stage: "select", reason }] },
        });
      },
    );

    it.each([
      ["missing", undefined, "content-type-missing"],
      ["unknown", "application/x-order", "content-type-unknown"],
      ["unknown", "json", "content-type-malformed"],
      ["foreign", "text/xml", "content-type-foreign"],
    ])("is refused when the policy for %s content types is reject (%j)", (policy, type, reason) => {
      expect(read("[1]", { contentTypePolicies: { [policy]: "reject" } }, type)).toMatchObject({
        status: "undeserializable",
        reason: "NoDeserializer",
        report: { attempts: [{ reason }] },
      });
    });

    it("is not a scalar: a single number or string is no evidence", () => {
      const loose = { ...text, leadingBytes: [0x37] };
      expect(read("7", { serializer: loose, contentTypePolicies: { missing: "try-all" } })).toMatchObject({
        status: "undeserializable",
        report: { attempts: [{ reason: "root-not-container" }] },
      });
    });

    it("is never read by a serializer that needs a content type", () => {
      const labelled = variant("labelled", undefined, () => ({ wrong: true }));
      expect(read("#[1]", { additionalDeserializers: [labelled] })).toMatchObject({
        status: "undeserializable",
        reason: "NoDeserializer",
        report: { attempts: [{ serializer: "text" }, { serializer: "labelled", reason: "not-recognized" }] },
      });
    });

    it("is passed to every format with the same leading byte, in the user's order", () => {
      const other = variant("other", 0x23, (bytes) => (bytes[1] === 0x23 ? ["other"] : fail()));
      const fail = () => {
        throw decodeFailure("identity-missing", "Not mine.");
      };
      const chain = { additionalDeserializers: [other, hash] };
      expect(read("##", chain)).toMatchObject({ body: ["other"], report: { position: 1 } });
      expect(read("#[1]", chain)).toMatchObject({
        body: [1],
        report: { position: 2, attempts: [{ serializer: "other" }] },
      });
    });
  });

  describe("the outcome for an undeserializable body", () => {
    it("has every attempt in its description, without payload", () => {
      expect(read("secret", { additionalDeserializers: [hash] }, "application/json")).toMatchObject({
        status: "undeserializable",
        reason: "DeserializationFailed",
        description: [
          'No deserializer could read the body (6 bytes, content type "application/json").',
          "text [0] decode: malformed: This is not JSON.",
          "hash [1] select: not-recognized: The body does not start like this format.",
        ].join("\n"),
      });
    });

    it("has the reason ValidationFailed when the body broke its schema", () => {
      const strict = variant("strict", 0x21, () => {
        throw validationFailure("/a must be a number.");
      });
      expect(read("!", { additionalDeserializers: [strict] })).toMatchObject({ reason: "ValidationFailed" });
    });

    it("has the reason ValidationFailed also when the content type was wrong and the recognised format breaks its schema", () => {
      const strict = variant("strict", 0x21, () => {
        throw validationFailure("/a must be a number.");
      });
      expect(read("!", { additionalDeserializers: [strict] }, "application/json")).toMatchObject({
        reason: "ValidationFailed",
        report: {
          attempts: [
            { serializer: "text", stage: "decode" },
            { serializer: "strict", stage: "validate" },
          ],
        },
      });
    });

    it("keeps the description within 4096 characters", () => {
      const many = Array.from({ length: 40 }, (_, i) =>
        variant(`f${i}`, 0x21, () => {
          throw decodeFailure("malformed", "x".repeat(10_000));
        }),
      );
      const outcome = read("!", { additionalDeserializers: many });
      expect(outcome).toMatchObject({ status: "undeserializable" });
      expect((outcome as { description: string }).description.length).toBe(4096);
    });
  });

  describe("bodies in value and sequence sections", () => {
    it("arrive decoded, without a serializer", () => {
      const pipeline = createPipeline({ serializer: text });
      expect(pipeline.deserialize({ body: { section: "value", value: 5n } })).toMatchObject({
        status: "decoded",
        body: 5n,
        report: { section: "value", serializer: undefined, position: -1 },
      });
      expect(pipeline.deserialize({ body: { section: "sequence", value: [1, 2] } })).toMatchObject({
        body: [1, 2],
      });
    });
  });

  describe("compressed bodies", () => {
    const unzip = (body: Uint8Array, encoding: string | number, options: Partial<PipelineOptions> = {}) =>
      createPipeline({ serializer: text, ...options }).deserialize({
        body,
        applicationProperties: { "Content-Encoding": encoding },
      });

    it("are decompressed before all other steps, in any letter case", () => {
      expect(unzip(gzipSync("[1]"), "GZip")).toMatchObject({
        body: [1],
        report: { contentEncodings: ["gzip"] },
      });
      expect(unzip(utf8.encode("[1]"), "identity")).toMatchObject({
        body: [1],
        report: { contentEncodings: [] },
      });
    });

    it("are also recognised by a lower-case property name, as HTTP senders write it", () => {
      const message = { body: deflateSync("[1]"), applicationProperties: { "content-encoding": "deflate" } };
      expect(createPipeline({ serializer: text }).deserialize(message)).toMatchObject({ body: [1] });
    });

    it.each([
      ["deflate without zlib's header, as .NET's DeflateStream writes it", deflateRawSync("[1]"), "deflate"],
      ["gzip under its older name", gzipSync("[1]"), "x-gzip"],
      ["a character set in the place of a coding", utf8.encode("[1]"), "UTF-8"],
      ["a character set beside a coding", gzipSync("[1]"), "utf8, gzip"],
    ])("are read with %s", (_, body, encoding) => {
      expect(unzip(body, encoding)).toMatchObject({ status: "decoded", body: [1] });
    });

    it.each([
      [
        "truncated data without zlib's header",
        deflateRawSync("[1]").subarray(0, -1),
        "deflate",
        "compression-corrupt",
      ],
      ["an unknown coding", utf8.encode("[1]"), "zstd", "content-encoding-unknown"],
      ["a coding that is not a string", utf8.encode("[1]"), 5, "content-encoding-unknown"],
      ["four codings", utf8.encode("[1]"), "gzip,gzip,gzip,gzip", "content-encoding-unknown"],
      ["damaged data", utf8.encode("[1]"), "gzip", "compression-corrupt"],
      ["truncated data", gzipSync("[1]").subarray(0, -4), "gzip", "compression-corrupt"],
      [
        "data that continues after the end",
        Buffer.concat([deflateSync("[1]"), Buffer.from("x")]),
        "deflate",
        "compression-corrupt",
      ],
    ])("are refused with %s", (_, body, encoding, reason) => {
      expect(unzip(body, encoding)).toMatchObject({
        status: "undeserializable",
        reason: "DecompressionFailed",
        report: { attempts: [{ serializer: undefined, stage: "decompress", reason }] },
      });
    });

    it("are read with the largest limit", () => {
      for (const [coding, zip] of Object.entries({
        gzip: gzipSync,
        deflate: deflateSync,
        br: brotliCompressSync,
      }))
        expect(unzip(zip("[1]"), coding, { maxDecompressedBytes: Number.MAX_SAFE_INTEGER })).toMatchObject({
          body: [1],
        });
    });

    it("are refused when they exceed the limit", () => {
      const bomb = gzipSync(new Uint8Array(5_000_000));
      expect(unzip(bomb, "gzip", { maxDecompressedBytes: 1_000_000 })).toMatchObject({
        reason: "DecompressionFailed",
        report: { attempts: [{ reason: "decompressed-too-large" }] },
      });
    });
  });

  describe("a serializer that misbehaves", () => {
    const misbehaving = (deserialize: Serializer["deserialize"]) => ({
      serializer: { ...hash, name: "bad", deserialize },
    });

    it("returns undefined: that is a failure", () => {
      expect(
        read(
          "#",
          misbehaving(() => undefined),
        ),
      ).toMatchObject({ report: { attempts: [{ reason: "value-missing" }] } });
    });

    it("throws another error: its text is not in the report", () => {
      const outcome = read(
        "#",
        misbehaving(() => {
          throw new Error("secret 4711");
        }),
      );
      expect(outcome).toMatchObject({ report: { attempts: [{ reason: "serializer-fault" }] } });
      expect(JSON.stringify(outcome)).not.toContain("4711");
    });

    it("changes its input: the next deserializer still gets the original", () => {
      const vandal = variant("vandal", 0x23, (bytes) => {
        bytes.fill(0);
        throw decodeFailure("malformed", "Not mine.");
      });
      const bytes = utf8.encode("#[1]");
      expect(read(bytes, { additionalDeserializers: [vandal, hash] })).toMatchObject({ body: [1] });
      expect(bytes).toEqual(utf8.encode("#[1]"));
    });

    it("returns a value that is nested too deep, or in itself", () => {
      let deep: unknown = 1;
      for (let i = 0; i < 100_000; i++) deep = [deep];
      const cycle: unknown[] = [];
      cycle.push(cycle);
      for (const value of [deep, cycle]) {
        expect(
          read(
            "#",
            misbehaving(() => value),
          ),
        ).toMatchObject({ report: { attempts: [{ reason: "depth-exceeded" }] } });
      }
    });

    it("returns shared references, which double the paths at each level: the check is still quick", () => {
      let shared: unknown = {};
      for (let i = 0; i < 100; i++) shared = [shared, shared];
      expect(
        read(
          "#",
          misbehaving(() => shared),
        ),
      ).toMatchObject({ status: "decoded" });
    });

    it("never returns: the body counts as unavailable after the timeout", async () => {
      const outcome = await read("#", { ...misbehaving(() => new Promise(() => {})), attemptTimeoutInMs: 5 });
      expect(outcome).toMatchObject({
        status: "unavailable",
        error: { code: "unavailable", retryable: true },
      });
    });
  });

  it("can have a timeout that is longer than any timer", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    let answer: ((value: unknown) => void) | undefined;
    const slow = variant("slow", 0x23, () => new Promise((resolve) => (answer = resolve)));
    const outcome = createPipeline({
      serializer: slow,
      attemptTimeoutInMs: Number.MAX_SAFE_INTEGER,
    }).deserialize({
      body: utf8.encode("#"),
      contentType: "application/slow",
    });
    vi.advanceTimersByTime(60_000);
    answer!([1]);
    expect(await outcome).toMatchObject({ status: "decoded", body: [1] });
  });

  describe("a serializer whose dependency is unavailable", () => {
    it("ends the chain: the message is delivered again, not dead-lettered", async () => {
      const offline = variant("offline", 0x23, async () => {
        throw unavailableFailure("The registry does not respond.");
      });
      const outcome = await read("#[1]", { additionalDeserializers: [offline, hash] });
      expect(outcome).toMatchObject({
        status: "unavailable",
        report: { serializer: undefined, attempts: [{ serializer: "offline", reason: "unavailable" }] },
      });
    });

    it("is abandoned when the caller aborts", async () => {
      const pending = variant("pending", 0x23, () => new Promise(() => {}));
      const controller = new AbortController();
      const outcome = createPipeline({ serializer: pending }).deserialize(
        { body: utf8.encode("#") },
        { abortSignal: controller.signal },
      );
      controller.abort();
      expect(await outcome).toMatchObject({ status: "unavailable" });
    });
  });

  it("refuses bodies beyond the limit without reading them", () => {
    expect(read("[1,2,3,4,5]", { maxBodyBytes: 10 })).toMatchObject({
      report: { attempts: [{ reason: "body-too-large" }] },
    });
  });

  it("mixes synchronous and asynchronous deserializers", async () => {
    const slow = variant("slow", 0x23, async () => {
      throw decodeFailure("malformed", "Not mine.");
    });
    expect(await read("#[1]", { additionalDeserializers: [slow, hash] }, "application/slow")).toMatchObject({
      body: [1],
      report: { serializer: "hash", position: 2, declared: "slow" },
    });
  });
});

describe("createPipeline", () => {
  const refuse = (serializers: [Serializer, ...Serializer[]]) => {
    const [serializer, ...additionalDeserializers] = serializers;
    return expect(() => createPipeline({ serializer, additionalDeserializers }));
  };

  it("refuses two serializers with the same media type, in any order", () => {
    refuse([text, { ...hash, mediaTypes: ["application/json"] }]).toThrow(
      '[configuration-invalid] The chain is not safe: "text" and "hash" both claim the media type "application/json".',
    );
  });

  it("refuses two serializers with the same name", () => {
    refuse([text, { ...hash, name: "text" }]).toThrow('two serializers are named "text"');
  });

  it("refuses two formats that could both recognise the same bytes", () => {
    refuse([text, { ...hash, detection: "structure", leadingBytes: [0x5b] }]).toThrow(
      'unlabelled bodies that start with 0x5b could be "text" or "hash"; give one of them the detection "label"',
    );
  });

  it("allows formats that share a first byte if each has its own header", () => {
    refuse([hash, { ...hash, name: "b", mediaTypes: ["a/b"] }]).not.toThrow();
  });

  it("refuses a serializer that recognises bodies but has no leading bytes", () => {
    const { leadingBytes: _, ...without } = hash;
    refuse([without]).toThrow("must name its leading bytes");
  });

  it("refuses media types that could never match", () => {
    refuse([{ ...hash, mediaTypes: ["Application/Hash"] }]).toThrow("not a lower-case media type");
    refuse([{ ...hash, mediaTypes: [] }]).toThrow("claims no media type");
    refuse([{ ...hash, mediaTypes: ["application/octet-stream"] }]).toThrow("declares no format");
    refuse([{ ...hash, mediaTypes: ["+hash"] }]).toThrow("the first media type is the one it writes");
  });

  it("throws TypeError for invalid options", () => {
    const make = (options: object) => () =>
      createPipeline({ serializer: text, ...options } as PipelineOptions);
    expect(make({ serializer: undefined })).toThrow(TypeError);
    expect(make({ maxDepth: 0 })).toThrow("maxDepth must be a positive integer; got 0.");
    expect(make({ contentTypePolicies: { missing: "guess" } })).toThrow(
      'contentTypePolicies.missing must be "try-all", "reject" or { assume: "<serializer>" }, not "guess".',
    );
    expect(make({ compression: { coding: "zip" } })).toThrow(
      'compression.coding must be "gzip", "deflate" or "br"',
    );
  });

  it("does not change the caller's options", () => {
    const options = Object.freeze({ serializer: text, additionalDeserializers: Object.freeze([hash]) });
    expect(createPipeline(options).serializers).toEqual([text, hash]);
  });
});

describe("WaybillError", () => {
  it("is recognised across two copies of the package", () => {
    const foreign = Object.assign(new Error("x"), { name: "WaybillError", code: "timeout" });
    expect(foreign).toBeInstanceOf(WaybillError);
    expect(new Error("x")).not.toBeInstanceOf(WaybillError);
  });
});

it("options that are null, as untyped programs may pass them, count as none", async () => {
  const message = { body: utf8.encode("{}"), contentType: "application/json" };
  const none = null as unknown as undefined;
  expect(await createPipeline({ serializer: text }).deserialize(message, none)).toMatchObject({ body: {} });
});
