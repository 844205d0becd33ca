import {
  acceptedState,
  type DeliveryState,
  encodeMessage,
  rejectedState,
  releasedState,
  type SenderLink,
  type Session,
  stringMap,
} from "@waybill/amqp";
import { batchMessageFormat, joinBatch } from "@waybill/amqp/batches";
import { pick, type Random } from "waybill-harness/random.js";
import { pause } from "waybill-harness/waiting.js";
import { oddChanges, oddMap, oddMessage, oddValue } from "./odd-message.js";
import { openConnection, openSession } from "./open-connection.js";

const operations = [
  "add-rule",
  "batch-delete-messages",
  "cancel-scheduled-message",
  "enumerate-rules",
  "get-message-sessions",
  "peek-message",
  "receive-by-sequence-number",
  "renew-lock",
  "schedule-message",
  "set-session-state",
  "update-disposition",
];
const fields = [
  "message-count",
  "from-sequence-number",
  "sequence-numbers",
  "lock-tokens",
  "messages",
  "rule-name",
  "rule-description",
  "properties-to-modify",
  "session-id",
  "skip",
  "top",
];

/** A client that keeps to the protocol, but sends odd values. It disconnects after `patienceMs`. */
export async function speakOddly(port: number, random: Random, patienceMs: number): Promise<void> {
  const { connection, socket } = openConnection(port);
  socket.on("error", () => {});
  const session = await openSession(connection);
  send(session, pick(["orders", "sessions", "events"], random), () => oddMessage(random));
  const batch = () => joinBatch([oddMessage(random), oddMessage(random)]);
  send(session, "orders", batch, batchMessageFormat);
  settle(session, pick(["orders", "events/subscriptions/odd"], random), random);
  const node = `${pick(["orders", "sessions", "events/subscriptions/odd"], random)}/$management`;
  session.openReceiver({ name: "replies", source: { kind: "source", address: node }, creditWindow: 9 });
  send(session, node, () => oddRequest(random));
  await pause(patienceMs);
  socket.destroy();
}

function send(session: Session, address: string, make: () => Uint8Array, format = 0): void {
  const link: SenderLink = session.openSender({
    name: address + format,
    target: { kind: "target", address },
  });
  link.handler.onCredit = () => {
    link.handler = {};
    for (let i = 0; i < 4; i++) link.send(make(), { deliveryTag: Buffer.from([i]), format });
  };
}

function settle(session: Session, address: string, random: Random): void {
  const source = { kind: "source", address } as const;
  const link = session.openReceiver({ name: "r", source, rcvSettleMode: 1 });
  link.handler.onTransfer = (delivery) => link.propose(delivery, oddOutcome(random));
  link.addCredit(8);
}

function oddOutcome(random: Random): DeliveryState {
  const error = { condition: "com.microsoft:dead-letter", info: oddChanges(random) };
  const messageAnnotations = oddChanges(random);
  const isDeferred = random(4) === 0;
  return pick<DeliveryState>(
    [
      ...[acceptedState, releasedState, rejectedState, { kind: "rejected", error } as const],
      { kind: "modified", deliveryFailed: true, undeliverableHere: isDeferred, messageAnnotations },
    ],
    random,
  );
}

function oddRequest(random: Random): Uint8Array {
  const operation = `com.microsoft:${pick(operations, random)}`;
  const sane = stringMap({ "message-count": 10, "from-sequence-number": 0, skip: 0, top: 10 });
  return encodeMessage({
    properties: { messageId: oddValue(random), replyTo: "replies" },
    applicationProperties: stringMap({ operation, "com.microsoft:tracking-id": oddValue(random) }),
    body: { kind: "value", value: random(2) === 0 ? sane : oddMap(fields, random) },
  });
}
