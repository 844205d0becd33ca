import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { WaybillError } from "../errors/error.js";
import { brokerProperties } from "./broker-properties.js";
import { checkMessage, utf8Length } from "./check-message.js";
import type { WritableProperties } from "./message.js";

describe("checkMessage", () => {
  it("accepts a message with every property within its limits", () => {
    expect(() => checkMessage(full, "orders")).not.toThrow();
  });

  it("checks every writable property of the table", () => {
    for (const [name, { access }] of Object.entries(brokerProperties)) {
      if (access === "writable") expect(fault({ [name]: Symbol("no") as never })).toContain(`: ${name} must`);
    }
  });

  it.each(["messageId", "sessionId", "partitionKey", "viaPartitionKey", "replyToSessionId"] as const)(
    "refuses a %s of 129 characters and names the limit",
    (name) => {
      expect(fault({ [name]: "x".repeat(129) })).toContain(
        `${name} must have at most 128 characters; got 129.`,
      );
      expect(() => checkMessage({ [name]: "x".repeat(128) }, "orders")).not.toThrow();
    },
  );

  it("checks what a message of a class inherits", () => {
    class Order {
      get sessionId(): string {
        return "x".repeat(129);
      }
    }
    expect(fault(new Order())).toContain("sessionId must have at most 128 characters; got 129.");
    expect(fault(Object.create({ subject: 5 }))).toContain("subject must be a string; got the number 5.");
  });

  it("checks a property that is not enumerable, which transports read", () => {
    const message = Object.defineProperty({ messageId: "m" }, "subject", { value: 5 });
    expect(fault(message)).toContain("subject must be a string; got the number 5.");
  });

  it("names the message and the entity", () => {
    expect(fault({ messageId: "m-1", subject: "s".repeat(40_000) })).toBe(
      '[operation-invalid] message "m-1", entity "orders": subject must take at most 32768 bytes; got 40000.',
    );
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 922_337_203_685_478])(
    "refuses a time to live of %d ms",
    (timeToLive) => {
      expect(fault({ timeToLive })).toContain("timeToLive must be an integer of milliseconds");
    },
  );

  it("refuses an invalid date", () => {
    expect(fault({ scheduledEnqueueTimeUtc: new Date("yesterday") })).toContain(
      "must be a valid Date; got an invalid Date",
    );
  });

  it("refuses ids that AMQP cannot represent", () => {
    expect(fault({ messageId: 1.5 })).toContain("messageId must be an integer");
    expect(fault({ correlationId: 2n ** 64n })).toContain("correlationId must be from 0 to 2^64 - 1");
    expect(fault({ messageId: new Uint8Array(129) })).toContain("128 bytes; got 129");
  });

  it("refuses a partition key that differs from the session id", () => {
    expect(fault({ sessionId: "a", partitionKey: "b" })).toContain("partitionKey must equal sessionId");
  });

  it.each([{ nested: true }, [1], undefined, () => 1, 2n ** 63n, new Date(Number.NaN)])(
    "refuses the application property value %o",
    (value) => {
      expect(fault({ applicationProperties: { key: value as never } })).toContain(
        'application property "key" must be a string, number, bigint of 64 bits',
      );
    },
  );

  it("refuses an application property beyond 32 KB and all together beyond 64 KB", () => {
    expect(fault({ applicationProperties: { big: "é".repeat(16_384) } })).toContain(
      'application property "big" must take at most 32768 bytes with its name; got 32771.',
    );
    const many = Object.fromEntries(Array.from({ length: 3 }, (_, i) => [`k${i}`, "x".repeat(30_000)]));
    expect(fault({ applicationProperties: many })).toContain(
      "applicationProperties must take at most 65536 bytes together; got 90006.",
    );
  });

  it("refuses values that are not messages", () => {
    expect(() => checkMessage(undefined as never, "orders")).toThrow(TypeError);
    expect(() => checkMessage("text" as never, "orders")).toThrow(TypeError);
  });

  it("throws nothing but WaybillError for any object", () => {
    fc.assert(
      fc.property(fc.record(anything(), { requiredKeys: [] }), (message) => {
        try {
          checkMessage(message as never, "orders");
        } catch (error) {
          expect(error).toBeInstanceOf(WaybillError);
          expect((error as WaybillError).code).toBe("operation-invalid");
        }
      }),
    );
  });
});

describe("utf8Length", () => {
  it("counts what an encoder writes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(utf8Length(text)).toBe(new TextEncoder().encode(text).length);
      }),
    );
    expect(utf8Length("\ud800x")).toBe(4);
  });
});

const full: Required<WritableProperties> = {
  messageId: "m-1",
  contentEncoding: "gzip",
  contentType: "application/json",
  correlationId: 18_446_744_073_709_551_615n,
  subject: "order-placed",
  to: "anywhere",
  replyTo: "replies",
  replyToSessionId: "r",
  sessionId: "s",
  partitionKey: "s",
  viaPartitionKey: "v",
  timeToLive: 922_337_203_685_477,
  scheduledEnqueueTimeUtc: new Date(0),
  forcePersistence: true,
  applicationProperties: {
    text: "é",
    number: 1.5,
    long: -(2n ** 63n),
    flag: true,
    at: new Date(0),
    bytes: new Uint8Array(3),
    nothing: null,
  },
};

function fault(message: WritableProperties): string {
  try {
    checkMessage(message, "orders");
  } catch (error) {
    expect(error).toBeInstanceOf(WaybillError);
    return (error as WaybillError).message;
  }
  throw new Error("expected a refusal");
}

function anything() {
  const names = [...Object.keys(full), "body"];
  return Object.fromEntries(names.map((name) => [name, fc.anything({ withBigInt: true, withDate: true })]));
}
