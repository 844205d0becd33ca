import { audit, isClean } from "../audit.js";
import { type Fixture, orders } from "../fixture.js";
import { say } from "../report.js";

/** Compares sent with handled orders, and checks what is left in the queue. */
export async function auditAll({ ledger, broker }: Fixture): Promise<void> {
  const found = audit(ledger.read("sent"), ledger.read("handled"));
  const left = broker.listEntities().find(({ path }) => path === orders);
  const waiting = left === undefined || left.kind === "topic" ? 0 : left.totalMessageCount;
  const { sent, lost, repeated, altered, invented } = found;
  say(
    `${sent} orders sent: ${lost.length} lost, ${repeated.length} handled twice, ${altered.length} altered, ` +
      `${invented.length} invented, ${waiting} left in the queue.`,
  );
  const ids = [...lost, ...repeated, ...altered, ...invented];
  if (ids.length > 0) say(`See ${ids.slice(0, 10).join(", ")}.`);
  if (!isClean(found) || waiting > 0) process.exitCode = 1;
}
