import { randomUUID } from "node:crypto";
import { type AmqpValue, array, encodeMessage, stringMap, uuid } from "@waybill/amqp";
import { batchMessageFormat, joinBatch } from "@waybill/amqp/batches";
import { pause } from "waybill-harness/waiting.js";
import type { Flood, FloodContext } from "./flood.js";
import {
  attachReceiver,
  attachSender,
  codes,
  credit,
  detach,
  disposition,
  inFrames,
  transfer,
} from "./frames.js";
import { request } from "./requests.js";

// Attacks that try to block the event loop.

const unsettledCount = 100_000;
const likeRules = 20_000;
const correlationRules = 100_000;
const rulesAtOnce = 50;
const longText = 30_000;

export const floodsOfTime: readonly Flood[] = [
  {
    name: "wide dispositions over 100,000 unsettled, Listen key",
    attackers: 1,
    prepare: "deep",
    async run({ open, isOver }) {
      const unsettled = Buffer.concat(Array.from({ length: 1_500 }, () => disposition(0, 0x7fffffff, false)));
      const accepted = Buffer.concat(Array.from({ length: 1_500 }, () => disposition(0, 0x7fffffff)));
      const attacker = await open("listen");
      await attacker.write(attachReceiver("r", 0, "deep"), credit(0, unsettledCount));
      await attacker.until(() => attacker.received(codes.transfer) >= unsettledCount || isOver(), 30_000);
      for (let i = 0; i < 20 && !isOver(); i++) await attacker.write(unsettled);
      while (!isOver() && !attacker.isOver) await attacker.write(accepted);
      attacker.close();
    },
  },
  {
    name: "links that come and go beside 100,000 unsettled, Listen key",
    attackers: 1,
    prepare: "deep",
    async run({ open, isOver }) {
      const attacker = await open("listen");
      await attacker.write(attachReceiver("r", 0, "deep"), credit(0, unsettledCount));
      await attacker.until(() => attacker.received(codes.transfer) >= unsettledCount || isOver(), 30_000);
      const storm = Buffer.concat(
        Array.from({ length: 200 }, (_, i) => Buffer.concat([attachReceiver(`l${i}`, 1, "work"), detach(1)])),
      );
      while (!isOver() && !attacker.isOver) await attacker.write(storm);
      attacker.close();
    },
  },
  {
    name: "20,000 LIKE rules and long properties, Send and Listen key",
    attackers: 1,
    run: (context) =>
      matchRules(
        context,
        Array.from({ length: likeRules }, (_, i) =>
          sqlRule(`r${i}`, `a LIKE '%${"_a".repeat(40)}${i}%' OR a LIKE b`),
        ),
        encodeMessage({
          applicationProperties: stringMap({
            a: "a".repeat(longText),
            b: `%${"a_".repeat(longText / 2 - 500)}b`,
          }),
          body: { kind: "value", value: null },
        }),
      ),
  },
  {
    name: "one LIKE over 60 KB, Send and Listen key",
    attackers: 1,
    run: (context) =>
      matchRules(
        context,
        [
          sqlRule("one", `sys.Label LIKE '%${"a_".repeat(480)}b%'`),
          sqlRule("two", `sys.Label LIKE '${"%a".repeat(480)}%b%'`),
          sqlRule("three", "sys.Label LIKE sys.To"),
        ],
        encodeMessage({
          properties: { subject: "a".repeat(60_000), to: `%${"a_".repeat(29_990)}b%` },
          body: { kind: "value", value: null },
        }),
      ),
  },
  {
    name: "100,000 correlation rules, Send and Listen key",
    attackers: 1,
    run: (context) =>
      matchRules(
        context,
        Array.from({ length: correlationRules }, (_, i) => correlationRule(`c${i}`, `none ${i}`)),
        encodeMessage({ properties: { subject: "some" }, body: { kind: "value", value: null } }),
      ),
  },
  {
    name: "batches of 104,000 messages, Send key",
    async run({ again }) {
      const empty = Buffer.from("00537740", "hex");
      const batch = joinBatch(Array.from({ length: 104_000 }, () => empty));
      await again("send", async (attacker, goesOn) => {
        await attacker.attachSender("s", 0, "work");
        for (let id = 0; id < 900 && goesOn(); id++)
          await attacker.write(...inFrames(id, batch, 0, batchMessageFormat));
      });
    },
  },
  {
    name: "peeks of 2^31 and other large requests, Listen key",
    async run({ again }) {
      const all = 2 ** 31 - 1;
      const unknownTokens = array(
        "uuid",
        Array.from({ length: 4_500 }, () => uuid(randomUUID())),
      );
      const requests = [
        request("com.microsoft:peek-message", { "message-count": all, "from-sequence-number": 0 }, "r"),
        request(
          "com.microsoft:peek-message",
          { "message-count": all, "from-sequence-number": 0, "session-id": "none" },
          "r",
        ),
        request("com.microsoft:batch-delete-messages", { "message-count": all, "session-id": "none" }, "r"),
        request(
          "com.microsoft:renew-lock",
          { "lock-tokens": Array.from({ length: 60_000 }, () => null) },
          "r",
        ),
        request("com.microsoft:renew-lock", { "lock-tokens": unknownTokens }, "r"),
        request(
          "com.microsoft:update-disposition",
          { "lock-tokens": unknownTokens, "disposition-status": "completed" },
          "r",
        ),
        request(
          "com.microsoft:receive-by-sequence-number",
          { "sequence-numbers": Array.from({ length: 60_000 }, () => 1), "receiver-settle-mode": 1 },
          "r",
        ),
      ];
      await again("listen", async (attacker, goesOn) => {
        await attacker.write(attachReceiver("r", 0, "deep/$management"), credit(0, 1_000_000));
        await attacker.attachSender("requests", 1, "deep/$management");
        for (let id = 0; goesOn(); id++) {
          const one = requests[id % requests.length] ?? Buffer.alloc(0);
          await attacker.write(...inFrames(id, one, 1));
          await attacker.until(() => attacker.received(codes.transfer) >= id - 20, 200);
        }
      });
    },
  },
  {
    name: "small frames without end, the client's own key",
    async run({ open, isOver }) {
      const flows = Buffer.concat(Array.from({ length: 2_000 }, () => credit(0, 1)));
      const attacker = await open("root");
      await attacker.write(attachReceiver("r", 0, "work"), attachSender("s", 1, "work"));
      while (!isOver() && !attacker.isOver) await attacker.write(flows);
      attacker.close();
    },
  },
];

interface Rule {
  readonly name: string;
  readonly description: AmqpValue;
}

function sqlRule(name: string, expression: string): Rule {
  return { name, description: stringMap({ "sql-filter": stringMap({ expression }) }) };
}

function correlationRule(name: string, label: string): Rule {
  return { name, description: stringMap({ "correlation-filter": stringMap({ label }) }) };
}

/** Adds rules to a subscription and sends messages for them to match. */
async function matchRules(
  { open, isOver }: FloodContext,
  rules: readonly Rule[],
  message: Uint8Array,
): Promise<void> {
  const attacker = await open("both");
  const node = "news/subscriptions/ruled/$management";
  await attacker.write(attachReceiver("r", 0, node), credit(0, 1_000_000));
  await attacker.attachSender("requests", 1, node);
  for (let id = 0; id < rules.length && !isOver() && !attacker.isOver; id += rulesAtOnce) {
    const some = rules.slice(id, id + rulesAtOnce).map(({ name, description }, i) => {
      const body = { "rule-name": name, "rule-description": description };
      return transfer(1, id + i, request("com.microsoft:add-rule", body, "r"), { settled: true });
    });
    const before = attacker.received(codes.transfer);
    await attacker.write(...some);
    await attacker.until(() => attacker.received(codes.transfer) >= before + some.length, 500);
  }
  await attacker.attachSender("news", 2, "news");
  for (let id = 100_000; !isOver() && !attacker.isOver; id++) {
    await attacker.write(transfer(2, id, message, { settled: true }));
    await pause(5);
  }
  attacker.close();
}
