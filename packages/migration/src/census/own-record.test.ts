import type { DeliveredMessage } from "@waybill/core/transport";
import { describe, expect, it } from "vitest";
import { isOwnRecord } from "./own-record.js";

const encoder = new TextEncoder();
const reader = { reader: "billing", instance: "host-1" };

function message(subject: string | undefined, body: unknown, contentType = "application/json") {
  const bytes = body instanceof Uint8Array ? body : encoder.encode(JSON.stringify(body));
  return { subject, contentType, body: bytes } as Pick<
    DeliveredMessage,
    "subject" | "contentType" | "body"
  > as DeliveredMessage;
}

/** A record of exactly this many bytes. */
function ofBytes(length: number): Uint8Array {
  const text = JSON.stringify({ ...reader, padding: "" });
  return encoder.encode(text.replace('""', `"${"x".repeat(length - text.length)}"`));
}

describe("a record of this package in a queue", () => {
  it.each([
    ["a beacon", message("waybill-capability", reader)],
    ["a read record", message("waybill-reads", reader)],
    ["a work item", message("waybill-work", { job: "census" })],
    ["a beacon of a megabyte", message("waybill-capability", ofBytes(1024 * 1024))],
  ])("is %s", (_, record) => {
    expect(isOwnRecord(record)).toBe(true);
  });

  it.each([
    ["of another subject", message("order-placed", reader)],
    ["without a subject", message(undefined, reader)],
    ["in another format", message("waybill-reads", reader, "application/vnd.msgpack")],
    ["larger than a megabyte", message("waybill-capability", ofBytes(1024 * 1024 + 1))],
    ["that is no JSON", message("waybill-reads", encoder.encode("{"))],
    ["that is no object", message("waybill-work", null)],
    ["without its reader", message("waybill-reads", { instance: "host-1" })],
    ["without its instance", message("waybill-reads", { reader: "billing" })],
    ["without its job", message("waybill-work", reader)],
    [
      "in an AMQP value",
      { ...message("waybill-work", {}), body: { section: "value", value: "{}" } as const },
    ],
  ])("is no message %s", (_, other) => {
    expect(isOwnRecord(other)).toBe(false);
  });
});
