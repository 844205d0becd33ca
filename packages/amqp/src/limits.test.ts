import { describe, expect, it } from "vitest";
import type { ConnectionHandler, ReceiverLink, SenderLink } from "./api.js";
import { encodeValue } from "./codec/encode.js";
import { closeType, detachType, endType } from "./frames/performatives.js";
import type { MemoryBudget } from "./memory/memory-budget.js";
import {
  dispositionCode,
  RawPeer,
  transfer,
  transferCode,
  transferFrame,
  uint,
} from "./raw-peer.test-support.js";

const limitExceeded = "amqp:resource-limit-exceeded";

/** A budget of a number of bytes that counts its usage. */
function openBudget(limit: number): MemoryBudget & { held: number } {
  return {
    held: 0,
    take(bytes) {
      if (this.held + bytes > limit) return false;
      this.held += bytes;
      return true;
    },
    give(bytes) {
      this.held -= bytes;
    },
  };
}

describe("an untrusted peer", () => {
  const untrusted = { maxFrameSize: 1024, maxSessions: 2, maxLinks: 3, maxNameLength: 20 };

  it("may have few sessions", () => {
    const peer = new RawPeer({ untrusted });
    peer.open().begin(0).begin(1);
    expect(peer.server.isOpen).toBe(true);
    expect(peer.begin(2).error(closeType)?.condition).toBe(limitExceeded);
  });

  it("may have few links, including refused ones", () => {
    const peer = new RawPeer({ untrusted });
    peer.onLink = (link) => link.refuse({ condition: "amqp:not-found" });
    peer.open().begin();
    for (let handle = 0; handle < 3; handle++) peer.attach({ name: `l${handle}`, handle });
    expect(peer.error(endType)).toBeUndefined();
    expect(peer.attach({ name: "l3", handle: 3 }).error(endType)?.condition).toBe(limitExceeded);
  });

  it("may have short names and small frames", () => {
    const named = new RawPeer({ untrusted });
    named.open().begin();
    expect(named.attach({ name: "n".repeat(21) }).error(endType)?.condition).toBe(limitExceeded);
    const framed = new RawPeer({ untrusted });
    framed.open().begin().attach();
    framed.list(transferCode, transfer(0, 0), "x".repeat(1024));
    expect(framed.error(closeType)?.condition).toBe(limitExceeded);
  });

  it("has the full limits after it is trusted", () => {
    const peer = new RawPeer({ untrusted });
    peer.open().begin(0).begin(1);
    peer.server.trust();
    peer.begin(2).attach({ name: "n".repeat(1024) });
    peer.list(transferCode, transfer(0, 0), "x".repeat(1024));
    expect(peer.deliveries).toHaveLength(1);
    expect(peer.attach({ name: "n".repeat(1025), handle: 1 }).error(endType)?.condition).toBe(limitExceeded);
  });
});

describe("a performative", () => {
  it("that is too large is refused before it is decoded", () => {
    const peer = new RawPeer({ maxFrameSize: 200_000 });
    const nulls = encodeValue(Array.from({ length: 100_000 }, () => null));
    peer.open().frame(Buffer.concat([Buffer.from("005312", "hex"), nulls]));
    expect(peer.error(closeType)?.condition).toBe(limitExceeded);
  });
});

describe("a budget", () => {
  it("counts sessions, links and their names, and is released completely", () => {
    const budget = openBudget(100_000);
    const peer = new RawPeer({ budget });
    peer.open().begin();
    for (let handle = 0; handle < 10; handle++) {
      peer.attach({ name: String(handle).repeat(1000), handle });
    }
    expect(budget.held).toBeGreaterThan(10 * 1000);
    const before = budget.held;
    peer.send(detachType, { handle: 9, closed: true });
    expect(budget.held).toBeLessThan(before - 1000);
    for (let handle = 10; handle < 100; handle++) peer.attach({ name: `n${handle}`.repeat(100), handle });
    expect(peer.error(endType)?.condition).toBe(limitExceeded);
    peer.server.disconnect();
    expect(budget.held).toBe(0);
  });

  it("counts the decoded size of a small performative", () => {
    const budget = openBudget(1_000_000);
    const peer = new RawPeer({ budget });
    peer.open().begin();
    const lists = encodeValue(Array.from({ length: 50_000 }, () => []));
    const attach = [encodeValue("l"), Buffer.from("43424040", "hex"), lists];
    const fields = Buffer.concat(attach);
    const head = Buffer.from("005312d00000000000000006", "hex");
    head.writeUInt32BE(fields.length + 4, 4);
    peer.frame(Buffer.concat([head, fields]));
    expect(peer.error(endType)?.condition).toBe(limitExceeded);
  });

  it("counts the incomplete messages of all links", () => {
    const budget = openBudget(1_000_000);
    const peer = new RawPeer({ budget });
    peer.open().begin();
    const payload = "x".repeat(50_000);
    for (let handle = 0; handle < 20; handle++) {
      peer.attach({ name: `l${handle}`, handle });
      peer.list(transferCode, [...transfer(handle, handle), uint(0), false, true], payload);
    }
    expect(peer.error(detachType)?.condition).toBe(limitExceeded);
    expect(budget.held).toBeLessThanOrEqual(1_000_000);
    expect(peer.links.filter(({ isAttached }) => isAttached).length).toBeLessThan(10);
  });

  it("is released when an incomplete message is completed, aborted or too large, or its link ends", () => {
    const budget = openBudget(10_000_000);
    const peer = new RawPeer({ budget, maxMessageSize: 100_000 });
    peer.onLink = (link) => link.role === "receiver" && link.accept({ creditWindow: 9, oversized: "reject" });
    peer.open().begin();
    for (let handle = 0; handle < 4; handle++) peer.attach({ name: `l${handle}`, handle });
    const idle = budget.held;
    const more = (handle: number, last: boolean, aborted = false) =>
      peer.list(
        transferCode,
        [uint(handle), uint(handle), Buffer.from("t"), uint(0), true, !last, null, null, false, aborted],
        "x".repeat(40_000),
      );
    for (let handle = 0; handle < 4; handle++) more(handle, false);
    expect(budget.held).toBeGreaterThan(idle + 4 * 40_000);
    more(0, true);
    more(1, false, true);
    more(2, false);
    more(2, false);
    peer.links[3]?.detach();
    expect(budget.held).toBeLessThanOrEqual(idle);
  });

  it("counts a frame that has not arrived completely", () => {
    const budget = openBudget(20_000);
    const peer = new RawPeer({ budget });
    peer.open().begin().attach();
    const announced = Buffer.alloc(8);
    announced.writeUInt32BE(60_000);
    expect(peer.write(announced).error(closeType)?.condition).toBe(limitExceeded);
  });

  it("counts deliveries that a peer does not settle, or for which it gives no credit", () => {
    const budget = openBudget(50_000);
    for (const linkCredit of [0, 1_000_000]) {
      const peer = new RawPeer({ budget });
      peer.open().begin().attach({ role: true }).flow({ handle: 0, linkCredit, incomingWindow: 1_000_000 });
      const link = peer.links[0] as SenderLink;
      let sent = 0;
      while (link.send(Buffer.alloc(10), { deliveryTag: Buffer.from("t") }) !== undefined) sent++;
      expect(sent).toBeGreaterThan(50);
      expect(sent).toBeLessThan(200);
      expect(peer.error(detachType)?.condition).toBe(limitExceeded);
      peer.server.disconnect();
      expect(budget.held).toBe(0);
    }
  });

  it("is released when a delivery is settled", () => {
    const budget = openBudget(50_000);
    const peer = new RawPeer({ budget });
    peer.open().begin().attach();
    peer.attach({ name: "down", handle: 1, role: true });
    peer.flow({ handle: 1, linkCredit: 100_000, incomingWindow: 100_000, nextIncomingId: 0 });
    const [up, down] = peer.links as [ReceiverLink, SenderLink];
    const idle = budget.held;
    for (let id = 0; id < 1000; id++) {
      peer.list(transferCode, [uint(0), uint(id), Buffer.from("t")], "message");
      const delivery = peer.deliveries.pop();
      if (delivery !== undefined) up.settle(delivery, { kind: "accepted" });
      down.send(Buffer.from("m"), { deliveryTag: Buffer.from("t") });
      peer.list(dispositionCode, [true, uint(id), uint(id), true]);
    }
    expect([up.isAttached, down.isAttached, budget.held]).toEqual([true, true, idle]);
  });
});

/** A server that has sent a number of messages, which the peer has not settled. */
function openUnsettled(count: number, handler: ConnectionHandler = {}) {
  const peer = new RawPeer({}, handler);
  peer.open().begin().attach({ role: true });
  peer.flow({ handle: 0, linkCredit: count, incomingWindow: count });
  const link = peer.links[0] as SenderLink;
  for (let i = 0; i < count; i++) link.send(Buffer.from("m"), { deliveryTag: Buffer.from("t") });
  peer.answers();
  return { peer, link };
}

const acceptedState = encodeValue({
  type: "described",
  descriptor: { type: "ulong", value: 0x24n },
  value: [],
});

/** A number of dispositions for all ids. */
function wideDispositions(count: number, state: Uint8Array): Buffer {
  const fields = Buffer.concat([Buffer.from("414370ffffffff42", "hex").fill(0x7f, 3, 4), state]);
  const head = Buffer.from("00000000020000000053 15c00005".replaceAll(" ", ""), "hex");
  head.writeUInt32BE(head.length + fields.length, 0);
  head[12] = fields.length + 1;
  return Buffer.concat(Array.from({ length: count }, () => Buffer.concat([head, fields])));
}

/** CPU time of this process since then, in ms, because other processes use the machine, too. */
function computedMs(since: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(since);
  return (user + system) / 1000;
}

describe("64 KB of input that costs time in proportion to its ranges", () => {
  it("applies an outcome once to 100,000 unsettled deliveries, even if their range is sent many times", () => {
    const { peer, link } = openUnsettled(100_000);
    let dispositions = 0;
    link.handler.onDisposition = () => dispositions++;
    const since = process.cpuUsage();
    peer.write(wideDispositions(2300, acceptedState));
    peer.write(wideDispositions(2300, Buffer.from([0x40])));
    expect(dispositions).toBe(100_000);
    expect(computedMs(since)).toBeLessThan(2000);
  });

  it("does not iterate over the deliveries of other links when links are opened and closed", () => {
    const { peer, link } = openUnsettled(100_000);
    const since = process.cpuUsage();
    for (let i = 0; i < 1000; i++) {
      peer.attach({ name: `link-${i}`, handle: 1, role: i % 2 === 0 });
      peer.send(detachType, { handle: 1, closed: true });
    }
    expect(computedMs(since)).toBeLessThan(1500);
    expect(link.isAttached).toBe(true);
  });

  it("removes the deliveries of ended links eventually", () => {
    const { peer, link } = openUnsettled(1000);
    link.detach();
    peer.send(detachType, { handle: 0, closed: true });
    peer
      .attach({ name: "next", handle: 1, role: true })
      .flow({ handle: 1, linkCredit: 5, nextIncomingId: 1000 });
    const next = peer.links[1] as SenderLink;
    const dispositions: unknown[] = [];
    next.handler.onDisposition = ({ context }) => dispositions.push(context);
    next.send(Buffer.from("m"), { deliveryTag: Buffer.from("t"), context: "next" });
    peer.write(wideDispositions(1, acceptedState));
    expect(dispositions).toEqual(["next"]);
  });
});

describe("a turn at its time limit", () => {
  it("leaves the rest of the input for the next one, in order", () => {
    let left = 100;
    const peer = new RawPeer({}, { isTurnOver: () => left-- <= 0 });
    peer.open().begin().attach();
    const frames = Buffer.concat(Array.from({ length: 10 }, (_, id) => transferFrame(id)));
    left = 3;
    peer.write(frames.subarray(0, 100)).write(frames.subarray(100));
    expect(peer.deliveries.map(({ id }) => id)).toEqual([0, 1, 2]);
    for (let turns = 0; peer.server.hasUnread; turns++) {
      expect(turns).toBeLessThan(10);
      left = 4;
      peer.server.proceed();
    }
    expect(peer.deliveries.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  it("interrupts a disposition of many deliveries, and keeps the order of the input", () => {
    let left = Number.POSITIVE_INFINITY;
    const { peer, link } = openUnsettled(10_000, { isTurnOver: () => left-- <= 0 });
    const dispositions: unknown[] = [];
    link.handler.onDisposition = ({ id }) => dispositions.push(id);
    left = 5;
    peer.write(wideDispositions(1, acceptedState));
    peer.send(detachType, { handle: 0, closed: true });
    expect(dispositions.length).toBeLessThan(1000);
    expect(link.isAttached).toBe(true);
    for (let turns = 0; peer.server.hasUnread; turns++) {
      expect(turns).toBeLessThan(100);
      left = 20;
      peer.server.proceed();
    }
    expect([dispositions.length, dispositions[9999], link.isDetached]).toEqual([10_000, 9999, true]);
  });

  it("leaves no work after the connection has ended", () => {
    let left = 100;
    const peer = new RawPeer({}, { isTurnOver: () => left-- <= 0 });
    peer.open().begin().attach();
    left = 0;
    peer.write(transferFrame(0));
    expect(peer.server.hasUnread).toBe(true);
    peer.server.disconnect();
    expect(peer.server.hasUnread).toBe(false);
    peer.server.proceed();
    expect(peer.deliveries).toEqual([]);
  });
});
