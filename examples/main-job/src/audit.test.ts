import type { DeserializationReport } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { Audit, type AuditResult } from "./audit.js";
import { type Fate, planShipment, type Shipment } from "./plan.js";

const count = 600;
const plan = Array.from({ length: count }, (_, number) => planShipment(number));
const decodedOne = plan.find(({ fate }) => fate.status === "decoded")!;
const deadLetteredOne = plan.find(({ treatment }) => treatment.title === "truncated")!;
const sentBytes = new Uint8Array([1, 2, 3]);

describe("Audit", () => {
  it("finds nothing when everything arrives as planned", () => {
    const result = audit(plan);
    expect(result.findings).toEqual([]);
    expect(result.decodedCount + result.deadLetteredCount).toBe(count);
    expect(result.tallies.reduce((total, tally) => total + tally.count, 0)).toBe(count);
  });

  it("finds a decoded value that differs in one place deep inside", () => {
    const { payload } = decodedOne.webhook;
    const repository = payload.repository as Record<string, unknown>;
    const altered = { ...payload, repository: { ...repository, id: Number(repository.id) + 1 } };
    expect(auditWith(decodedOne, { body: altered }).findings).toEqual([
      `${decodedOne.messageId}: the decoded value differs from its source.`,
    ]);
  });

  it("finds a field that is null instead of absent", () => {
    const altered = { ...decodedOne.webhook.payload, surplus: null };
    expect(auditWith(decodedOne, { body: altered }).findingCount).toBe(1);
  });

  it("finds a value that was decoded by another serializer", () => {
    const fate: Fate = { status: "decoded", serializer: "cbor", position: 7 };
    expect(auditWith(decodedOne, { fate }).findings[0]).toMatch(
      /decoded by cbor at position 7, planned was: decoded by \w+/,
    );
  });

  it("finds a message that was dead-lettered instead of decoded, and vice versa", () => {
    const deadLettered: Fate = { status: "dead-lettered", reason: "DeserializationFailed" };
    const decoded: Fate = { status: "decoded", serializer: "json", position: 1 };
    expect(auditWith(decodedOne, { fate: deadLettered }).findingCount).toBe(1);
    expect(auditWith(deadLetteredOne, { fate: decoded }).findingCount).toBe(1);
  });

  it("finds another dead-letter reason than planned", () => {
    const fate: Fate = { status: "dead-lettered", reason: "ValidationFailed" };
    expect(auditWith(deadLetteredOne, { fate }).findings[0]).toContain("dead-lettered with ValidationFailed");
  });

  it("finds a dead-lettered body that differs from the sent one", () => {
    expect(auditWith(deadLetteredOne, { body: new Uint8Array([1, 2]) }).findings).toEqual([
      `${deadLetteredOne.messageId}: the dead-lettered body differs from what was sent.`,
    ]);
  });

  it("finds a message that never arrived", () => {
    expect(audit(plan.filter((shipment) => shipment !== decodedOne)).findings).toEqual([
      `1 messages never arrived, the first of them ${decodedOne.messageId}.`,
    ]);
  });

  it("finds a message that arrived twice", () => {
    expect(audit([...plan, decodedOne]).findings).toEqual([
      `${decodedOne.messageId}: arrived more than once.`,
    ]);
  });

  it("finds a message that was never sent", () => {
    expect(audit([...plan, planShipment(count)]).findings).toEqual([
      "A message arrived that was never sent.",
    ]);
  });

  it("finds errors that the plan does not expect", () => {
    const audit = new Audit(0, planShipment);
    audit.failed(new Error("[connection-lost] gone"));
    expect(audit.close().findings).toEqual(["[connection-lost] gone"]);
  });

  it("keeps the first hundred findings and counts all", () => {
    const result = audit([...plan, ...plan]);
    expect(result.findings).toHaveLength(100);
    expect(result.findingCount).toBe(count);
  });
});

interface Alteration {
  readonly body?: unknown;
  readonly fate?: Fate;
}

function auditWith(target: Shipment, alteration: Alteration): AuditResult {
  return audit(plan, new Map([[target, alteration]]));
}

/** Records shipments as planned, except for the alterations. */
function audit(
  shipments: readonly Shipment[],
  alterations: ReadonlyMap<Shipment, Alteration> = new Map(),
): AuditResult {
  const audit = new Audit(count, planShipment);
  for (const shipment of shipments) {
    const { messageId, webhook } = shipment;
    const { fate = shipment.fate, body } = alterations.get(shipment) ?? {};
    if (fate.status === "decoded") {
      const deserialization = {
        serializer: fate.serializer,
        position: fate.position,
      } as DeserializationReport;
      audit.decoded({ messageId, body: body ?? structuredClone(webhook.payload), deserialization });
    } else {
      const message = { messageId, body: body ?? sentBytes.slice(), deadLetterReason: fate.reason };
      audit.deadLettered(message, shipment.fate.status === "decoded" ? message.body : sentBytes);
    }
  }
  return audit.close();
}
