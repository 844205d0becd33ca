import { encodeMessage, symbolMap } from "@waybill/amqp";
import { pause } from "waybill-harness/waiting.js";
import type { Flood } from "./flood.js";
import { attachReceiver, attachSender, begin, codes, credit, disposition, end, transfer } from "./frames.js";
import { putToken } from "./requests.js";

// Attacks that the protocol allows and no real client does.

const receivers = 4_000;
const expiryS = 2;

export const floodsOfFrames: readonly Flood[] = [
  {
    name: "messages that are given up halfway, Send key",
    async run({ again }) {
      const part = Buffer.alloc(50_000);
      await again("send", async (attacker, goesOn) => {
        await attacker.attachSender("s", 0, "work");
        for (let id = 0; goesOn(); id++) {
          await attacker.write(
            transfer(0, id, part, { more: true }),
            transfer(0, id, Buffer.alloc(0), { aborted: true }),
          );
        }
      });
    },
  },
  {
    name: "dispositions of deliveries that are unknown, Listen key",
    async run({ again }) {
      const storm = Buffer.concat(
        Array.from({ length: 1_500 }, (_, i) => disposition(i * 2_000_000, i * 2_000_000 + 1_999_999)),
      );
      await again("listen", async (attacker, goesOn) => {
        await attacker.write(attachReceiver("r", 0, "spare"), credit(0, 5_000));
        await attacker.until(() => attacker.received(codes.transfer) >= 5_000, 1_000);
        while (goesOn()) await attacker.write(storm);
      });
    },
  },
  {
    name: "windows that open and shut over 4,000 receivers, Listen key",
    attackers: 1,
    run: ({ again }) =>
      again("listen", async (attacker, goesOn) => {
        for (let handle = 0; handle < receivers && !attacker.isOver; handle++) {
          await attacker.write(attachReceiver(`r${handle}`, handle, "spare"), credit(handle, 0xffffffff, 0));
        }
        const storm = Buffer.concat(
          Array.from({ length: 200 }, (_, i) => credit(i, 0xffffffff, i % 2, 0xfffffff0 + (i % 16))),
        );
        for (let i = 0; i < 1_000 && goesOn(); i++) await attacker.write(storm);
      }),
  },
  {
    name: "sessions that come and go, Listen key",
    attackers: 1,
    async run({ open, isOver }) {
      const attacker = await open("listen");
      const storm = Buffer.concat(
        Array.from({ length: 300 }, (_, i) => {
          const channel = 1 + (i % 100);
          return Buffer.concat([begin(channel), end(channel)]);
        }),
      );
      while (!attacker.isClosed && !isOver()) await attacker.write(storm);
      attacker.close();
    },
  },
  {
    name: "4,000 links that wait for a session, Send and Listen key",
    attackers: 1,
    async run({ open, isOver }) {
      const next = symbolMap({ "com.microsoft:session-filter": null });
      while (!isOver()) {
        const attacker = await open("both");
        for (let handle = 0; handle < receivers && !attacker.isOver; handle++) {
          await attacker.write(attachReceiver(`r${handle}`, handle, "visits", next));
        }
        const sender = await open("both");
        await sender.attachSender("s", 0, "visits");
        for (let id = 0; id < 500 && !sender.isOver && !isOver(); id++) {
          await sender.write(transfer(0, id, inSession(`s${id % 100}`), { settled: true }));
          await pause(1);
        }
        for (const one of [attacker, sender]) one.close();
      }
    },
  },
  {
    name: "4,000 links whose token expires, Listen key",
    attackers: 1,
    async run({ open, isOver }) {
      while (!isOver()) {
        const attacker = await open();
        await attacker.write(attachSender("cbs", 0, "$cbs"));
        await attacker.until(() => attacker.received(codes.flow) > 0);
        await attacker.write(transfer(0, 0, putToken("listen", "spare", expiryS), { settled: true }));
        for (let handle = 1; handle < receivers && !attacker.isOver; handle++) {
          await attacker.write(attachReceiver(`r${handle}`, handle, "spare"));
        }
        await attacker.until(() => attacker.received(codes.detach) > receivers / 2, expiryS * 1000 + 2000);
        attacker.close();
      }
    },
  },
  {
    name: "sessions by the thousand, Send key",
    attackers: 1,
    async run({ open, isOver }) {
      const attacker = await open("send");
      await attacker.attachSender("s", 0, "visits");
      for (let id = 0; !attacker.isOver && !isOver(); id += 100) {
        await attacker.write(
          ...Array.from({ length: 100 }, (_, i) =>
            transfer(0, id + i, inSession(`session ${id + i}`), { settled: true }),
          ),
        );
      }
      attacker.close();
    },
  },
  {
    name: "links under one name, each instead of the last, Send key",
    attackers: 1,
    async run({ again }) {
      const storm = Buffer.concat(
        Array.from({ length: 4_900 }, (_, handle) => attachSender("one", handle, "work")),
      );
      await again("send", async (attacker) => {
        await attacker.write(storm);
        await attacker.until(() => attacker.received(codes.attach) >= 4_900);
      });
    },
  },
];

function inSession(groupId: string): Uint8Array {
  return encodeMessage({ properties: { groupId }, body: { kind: "value", value: null } });
}
