import { describe, expect, it } from "vitest";
import { z } from "zod";
import type { EncodedMessage, Message } from "../message/message.js";
import type { DeserializationOutcome } from "../message/outcome.js";
import { createPipeline } from "../pipeline/pipeline.js";
import { plainJson } from "../plain-json.test-support.js";
import { defineMessage } from "./define-message.js";
import type { MessageType } from "./message-type.js";

const add = (step: string) => (body: unknown) => [...(body as string[]), step];
const addLater = (step: string) => async (body: unknown) => add(step)(body);

describe("the converters of a message type", () => {
  it.each([
    ["are synchronous", [add("2"), add("3"), add("4")]],
    ["are asynchronous", [addLater("2"), addLater("3"), addLater("4")]],
    ["are of both kinds", [add("2"), addLater("3"), add("4")]],
  ])("run one after the other, each once, if they %s", async (_, [first, second, third]) => {
    const type = defineMessage("a", {
      version: 4,
      schemas: { 1: {}, 2: {}, 3: {}, 4: {} },
      upcasters: { 1: first!, 2: second!, 3: third! },
    });
    expect(await read(type, ["1"])).toMatchObject({ body: ["1", "2", "3", "4"] });
  });

  const failing: [string, (body: unknown) => unknown, string][] = [
    ["throws an error", () => expect.fail("secret"), "threw a AssertionError."],
    ["throws something else", () => throwing("secret"), "threw a string."],
    ["rejects", async () => throwing(new RangeError("secret")), "rejected with a RangeError."],
    ["returns nothing", () => undefined, "returned nothing."],
    ["resolves with nothing", async () => undefined, "returned nothing."],
  ];

  it.each(failing)("are named with what happened when one %s", async (_, cast, text) => {
    const type = defineMessage("a", {
      version: 2,
      schemas: { 1: {}, 2: {} },
      upcasters: { 1: cast },
      downcasters: { 2: cast },
    });
    const outcome = await read(type, []);
    expect(outcome).toMatchObject({ reason: "UpcastFailed" });
    expect(outcome.report.attempts.at(-1)?.detail).toBe(`The upcaster from version 1 to 2 ${text}`);
    await expect(writeFirst(type)).rejects.toThrow(`The downcaster from version 2 to 1 ${text}`);
  });

  it("are not trusted: what one of them makes, at once or later, is validated", async () => {
    const typeWith = (upcaster: () => unknown) =>
      defineMessage("a", {
        version: 2,
        schemas: { 1: {}, 2: z.object({ n: z.number() }) },
        upcasters: { 1: upcaster as never },
      });
    for (const upcaster of [() => ({ n: "one" }), async () => ({ n: "one" })]) {
      const { attempts } = (await read(typeWith(upcaster), [])).report;
      expect(attempts).toMatchObject([{ stage: "upcast", reason: "upcast-invalid" }]);
    }
    expect(
      await read(
        typeWith(async () => ({ n: 1 })),
        [],
      ),
    ).toMatchObject({ body: { n: 1 } });
  });
});

describe("a message of an older version without a body", () => {
  const outcome = (schema: z.ZodType) => {
    const type = defineMessage("a", {
      version: 2,
      schemas: { 1: {}, 2: schema },
      upcasters: { 1: () => throwing(new Error("There is nothing to convert.")) },
    });
    return createPipeline({ serializer: plainJson, messageTypes: [type] }).deserialize({
      ...first,
      body: new Uint8Array(),
    });
  };

  it("has none in the current version, either", async () => {
    expect(await outcome(z.undefined())).toMatchObject({ status: "decoded", body: undefined });
  });

  it("is refused if the current version requires one", async () => {
    expect(await outcome(z.object({}))).toMatchObject({
      reason: "UpcastFailed",
      report: { attempts: [{ reason: "upcast-invalid" }] },
    });
  });
});

const first = { subject: "a", applicationProperties: { messageVersion: 1 } };

/** Reads a body of version 1. */
async function read(type: MessageType, body: unknown): Promise<DeserializationOutcome> {
  const message: EncodedMessage = { ...first, body: new TextEncoder().encode(JSON.stringify(body)) };
  return createPipeline({ serializer: plainJson, messageTypes: [type] }).deserialize(message);
}

/** Writes a body as version 1. */
async function writeFirst(type: MessageType): Promise<Message> {
  const pipeline = createPipeline({ serializer: plainJson, messageTypes: [type] });
  return pipeline.serialize(type.message([]), { writeAs: { version: 1 } });
}

function throwing(error: unknown): never {
  throw error;
}
