import { Buffer } from "node:buffer";
import { type Attacker, pause } from "./attacker.js";
import type { Flood } from "./flood.js";
import { attachReceiver, attachSender, CODES, credit, transfer } from "./frames.js";
import { request } from "./requests.js";

// What is to fill the memory.

const LONG_NAME_BYTES = 250_000;
const UNFINISHED_BYTES = 200_000;
const UNFINISHED_FRAMES = 5;

export const MEMORY_FLOODS: readonly Flood[] = [
  { name: "long link names, no token", run: ({ open, isOver }) => longNames(() => open(), "$cbs", isOver) },
  {
    name: "long link names, Send key",
    run: ({ open, isOver }) => longNames(() => open("send"), "work", isOver),
  },
  {
    name: "many links and sessions, no token",
    async run({ open, isOver }) {
      while (!isOver()) {
        const attacker = await open();
        for (let handle = 0; handle < 5_000 && !attacker.isOver && !isOver(); handle++) {
          await attacker.write(attachSender(`link-${handle}-${"n".repeat(100)}`, handle, "$cbs"));
        }
        await pause(5);
      }
    },
  },
  {
    name: "unfinished messages on $cbs, no token",
    run: ({ open, isOver }) => unfinished(() => open(), "$cbs", 50, isOver),
  },
  {
    name: "unfinished messages on 4,000 links, Send key",
    run: ({ open, isOver }) => unfinished(() => open("send"), "work", 4_000, isOver),
  },
  {
    name: "sockets that say half a frame",
    async run({ openSilent, isOver }) {
      const sockets: Attacker[] = [];
      const half = Buffer.concat([
        Buffer.from("AMQP\0\x01\0\0", "latin1"),
        Buffer.from([0, 0, 0x40, 0, 2, 0, 0, 0]),
      ]);
      while (!isOver()) {
        const attacker = openSilent();
        void attacker.write(half, Buffer.alloc(8_000));
        sockets.push(attacker);
        if (sockets.length > 3_000) sockets.shift()?.close();
        if (sockets.length % 50 === 0) await pause(5);
      }
    },
  },
  {
    name: "replies that are never settled, Listen key",
    async run({ open, isOver }) {
      while (!isOver()) {
        const attacker = await open("listen");
        await attacker.write(attachReceiver("replies", 0, "work/$management"), credit(0, 10_000_000));
        await attacker.attachSender("requests", 1, "work/$management");
        const ask = request("com.microsoft:none", {}, "replies");
        for (let id = 0; !attacker.isOver && !isOver(); id += 50) {
          const sent = attacker.received(CODES.transfer);
          await attacker.write(
            ...Array.from({ length: 50 }, (_, i) => transfer(1, id + i, ask, { settled: true })),
          );
          if (!(await attacker.until(() => attacker.received(CODES.transfer) >= sent + 50, 200))) break;
        }
        attacker.close();
      }
    },
  },
  {
    name: "replies that nobody reads, Listen key",
    attackers: 1,
    async run({ open, isOver }) {
      while (!isOver()) {
        const attackers = await Promise.all(Array.from({ length: 20 }, () => open("listen")));
        const peek = request(
          "com.microsoft:peek-message",
          { "message-count": 1_000, "from-sequence-number": 0 },
          "r",
        );
        for (const attacker of attackers) {
          await attacker.write(attachReceiver("r", 0, "deep/$management"), credit(0, 1_000));
          await attacker.attachSender("requests", 1, "deep/$management");
          attacker.stopReading();
          await attacker.write(
            ...Array.from({ length: 90 }, (_, i) => transfer(1, i, peek, { settled: true })),
          );
        }
        await pause(1_000);
        for (const attacker of attackers) attacker.close();
      }
    },
  },
  {
    name: "messages that nobody reads, Listen key",
    attackers: 1,
    async run({ open, isOver }) {
      while (!isOver()) {
        const attackers = await Promise.all(Array.from({ length: 50 }, () => open("listen")));
        for (const attacker of attackers) {
          await attacker.write(attachReceiver("r", 0, "spare"), credit(0, 1_000_000));
          attacker.stopReading();
        }
        await pause(1_000);
        for (const attacker of attackers) attacker.close();
      }
    },
  },
  {
    name: "empty messages, Send key",
    async run({ open, isOver }) {
      const { joinBatch, encodeMessage, BATCH_MESSAGE_FORMAT } = await import("@waybill/amqp");
      const empty = encodeMessage({ body: { kind: "value", value: null } });
      const batch = joinBatch(Array.from({ length: 4_000 }, () => empty));
      while (!isOver()) {
        const attacker = await open("send");
        await attacker.attachSender("full", 0, "full");
        for (let id = 0; id < 900 && !attacker.isOver && !isOver(); id++) {
          await attacker.write(transfer(0, id, batch, { format: BATCH_MESSAGE_FORMAT, settled: true }));
        }
        attacker.close();
      }
    },
  },
];

async function longNames(
  open: () => Promise<Attacker>,
  address: string,
  isOver: () => boolean,
): Promise<void> {
  const name = "n".repeat(LONG_NAME_BYTES);
  while (!isOver()) {
    const attacker = await open();
    for (let handle = 0; handle < 5_000 && !attacker.isOver && !isOver(); handle++) {
      await attacker.write(attachSender(`${handle}${name}`, handle, address));
    }
    // The server may have more to hold of those that it did not send away.
    if (attacker.isOver) attacker.close();
    await pause(5);
  }
}

/** Sends most of a message on each of so many links, and never the rest. */
async function unfinished(
  open: () => Promise<Attacker>,
  address: string,
  links: number,
  isOver: () => boolean,
): Promise<void> {
  const payload = Buffer.alloc(UNFINISHED_BYTES / UNFINISHED_FRAMES);
  const held: Attacker[] = [];
  while (!isOver()) {
    const attacker = await open();
    held.push(attacker);
    // Those that are still open keep what they hold while the next ones come.
    if (held.length > 10) held.shift()?.close();
    for (let handle = 0; handle < links && !attacker.isOver && !isOver(); handle++) {
      await attacker.write(attachSender(`l${handle}`, handle, address));
    }
    await pause(50);
    for (let handle = 0; handle < links && !attacker.isOver && !isOver(); handle++) {
      const part = transfer(handle, handle, payload, { more: true });
      await attacker.write(...Array.from({ length: UNFINISHED_FRAMES }, () => part));
    }
  }
  for (const attacker of held) attacker.close();
}
