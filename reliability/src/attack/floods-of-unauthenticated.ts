import { encodeMessage, stringMap } from "@waybill/amqp";
import { pause } from "waybill-harness/waiting.js";
import type { Attacker } from "./attacker.js";
import type { Flood, FloodContext } from "./flood.js";
import { attachSender, begin, end, hastyGreeting, transfer, wrongGreeting } from "./frames.js";
import { longNames, unfinished } from "./link-storms.js";

// Attacks by clients without a token, or with a wrong one.

const socketCount = 3_000;

export const floodsOfUnauthenticated: readonly Flood[] = [
  {
    name: "long link names, no token",
    run: (context) => longNames(context, undefined, "$cbs"),
  },
  {
    name: "many links and sessions, no token",
    async run({ open, isOver }) {
      while (!isOver()) {
        const attacker = await open();
        await attacker.write(...Array.from({ length: 30 }, (_, i) => begin(1 + i)));
        for (let handle = 0; handle < 5_000 && !attacker.isOver && !isOver(); handle++) {
          await attacker.write(attachSender(`link-${handle}-${"n".repeat(100)}`, handle, "$cbs"));
        }
        await pause(5);
      }
    },
  },
  {
    name: "unfinished messages of 1 MB on $cbs, no token",
    run: (context) => unfinished(context, { address: "$cbs", links: 50, frameBytes: 30_000, frames: 34 }),
  },
  {
    name: "unfinished messages within every limit, no token",
    run: (context) => unfinished(context, { address: "$cbs", links: 9, frameBytes: 30_000, frames: 2 }),
  },
  {
    name: "sockets that say half a frame",
    run: (context) => {
      const header = Buffer.from("AMQP\0\x01\0\0", "latin1");
      const half = Buffer.concat([header, Buffer.from([0, 0, 0x40, 0, 2, 0, 0, 0]), Buffer.alloc(8_000)]);
      return crowd(context, "amqp", half);
    },
  },
  {
    name: "heartbeats each millisecond, no token",
    run: (context) => crowd(context, "amqp", hastyGreeting()),
  },
  {
    name: "TLS handshakes that are never finished",
    run: (context) => crowd(context, "tls"),
  },
  {
    name: "TLS handshakes without end",
    async run({ shakeHands, isOver }) {
      while (!isOver()) await Promise.all(Array.from({ length: 20 }, shakeHands));
    },
  },
  {
    name: "wrong passwords without end",
    async run({ openSilent, isOver }) {
      const shake = async (): Promise<void> => {
        const attacker = openSilent();
        await attacker.write(wrongGreeting());
        await attacker.untilClosed();
        attacker.close();
      };
      while (!isOver()) await Promise.all(Array.from({ length: 20 }, shake));
    },
  },
  {
    name: "tokens that are none, no token",
    async run({ open, isOver }) {
      const texts = [
        `SharedAccessSignature sr=${"%2f".repeat(18_000)}&se=99999999999&skn=root&sig=x`,
        `SharedAccessSignature ${"a=b&".repeat(14_000)}`,
        `SharedAccessSignature${" ".repeat(55_000)}`,
      ];
      const requests = texts.map((text) =>
        encodeMessage({
          properties: { messageId: "m", replyTo: "none" },
          applicationProperties: stringMap({
            operation: "put-token",
            type: "servicebus.windows.net:sastoken",
            name: `sb://localhost/${"a/".repeat(900)}`,
          }),
          body: { kind: "value", value: text },
        }),
      );
      while (!isOver()) {
        const attacker = await open();
        await attacker.attachSender("s", 0, "$cbs");
        for (let id = 0; id < 500 && !attacker.isOver && !isOver(); id++) {
          const message = requests[id % requests.length] ?? Buffer.alloc(0);
          await attacker.write(
            transfer(0, id, message.subarray(0, 30_000), { settled: true, more: true }),
            transfer(0, id, message.subarray(30_000), { settled: true }),
          );
        }
        attacker.close();
      }
    },
  },
  {
    name: "sessions that come and go, no token",
    attackers: 1,
    async run({ again, isOver }) {
      const storm = Buffer.concat(
        Array.from({ length: 500 }, (_, i) => Buffer.concat([begin(1 + (i % 20)), end(1 + (i % 20))])),
      );
      await again(undefined, async (attacker) => {
        while (!attacker.isClosed && !isOver()) await attacker.write(storm);
      });
    },
  },
];

/** Opens more and more sockets, which say this or nothing, and keeps the last of them open. */
async function crowd(
  { openSilent, isOver }: FloodContext,
  port: "amqp" | "tls",
  said?: Buffer,
): Promise<void> {
  const sockets: Attacker[] = [];
  while (!isOver()) {
    const attacker = openSilent(port);
    if (said !== undefined) void attacker.write(said);
    sockets.push(attacker);
    if (sockets.length > socketCount) sockets.shift()?.close();
    if (sockets.length % 50 === 0) await pause(5);
  }
}
