import { describe, expect, it } from "vitest";
import { PortLedger } from "./soak-port/port-ledger.js";

/** A message that went its whole way. */
function passThrough(ledger: PortLedger, way: "amqp" | "websocket" | "http"): string {
  const id = ledger.newMessage(way);
  ledger.sent(way, id);
  ledger.got(way, id);
  ledger.completing(id);
  ledger.completed(way, id);
  return id;
}

function used(): PortLedger {
  const ledger = new PortLedger();
  for (const way of ["amqp", "websocket", "http"] as const) passThrough(ledger, way);
  return ledger;
}

describe("the ledger of soak:port", () => {
  it("is content when everything acknowledged came or is left", () => {
    const ledger = used();
    const waiting = ledger.newMessage("http");
    ledger.sent("http", waiting);
    ledger.newMessage("amqp");
    ledger.entity("orders", "created");
    ledger.entity("gone", "deleted");
    ledger.entityUncertain("perhaps");
    ledger.close([waiting], new Set(["orders"]));
    expect(ledger.violations).toEqual([]);
  });

  it("misses messages and entities", () => {
    const ledger = used();
    const lost = ledger.newMessage("amqp");
    ledger.sent("amqp", lost);
    const received = ledger.newMessage("http");
    ledger.got("http", received);
    ledger.entity("orders", "created");
    ledger.entity("gone", "deleted");
    ledger.close([], new Set(["gone"]));
    expect(ledger.violations).toEqual([
      `${lost} was acknowledged and is lost`,
      `${received} was received, not completed, and is lost`,
      "orders was created and is not there",
      "gone was deleted and is still there",
    ]);
  });

  it("minds what comes again, what nobody sent, and ways that were not used", () => {
    const ledger = new PortLedger();
    const id = passThrough(ledger, "amqp");
    ledger.got("amqp", "amqp-9");
    ledger.close([id, "amqp-9"], new Set());
    expect(ledger.violations).toEqual([
      "amqp-9 came, and nobody sent it",
      `${id} was completed and came again`,
      "amqp-9 came, and nobody sent it",
      "nothing was sent over websocket",
      "nothing was completed over websocket",
      "nothing was sent over http",
      "nothing was completed over http",
    ]);
  });
});
