import { describe, expect, it } from "vitest";
import type { ReceiverLink, SenderLink } from "./api.js";
import { encodeValue } from "./codec/encode.js";
import { FlowFields, readFlow } from "./frames/flow.js";
import { attachType, closeType, detachType, endType, openType } from "./frames/performatives.js";

import { dispositionCode, RawPeer, transfer, transferCode, uint } from "./raw-peer.test-support.js";

describe("the connection is closed", () => {
  it.each<[string, string, (peer: RawPeer) => void]>([
    [
      "a frame above max-frame-size",
      "amqp:connection:framing-error",
      (peer) => peer.open().write(Buffer.from("7fffffff02000000", "hex")),
    ],
    [
      "a frame shorter than its header",
      "amqp:connection:framing-error",
      (peer) => peer.open().write(Buffer.from("0000000702000000", "hex")),
    ],
    [
      "a data offset outside the frame",
      "amqp:connection:framing-error",
      (peer) => peer.open().write(Buffer.from("0000000803000000", "hex")),
    ],
    [
      "a frame of an unknown type",
      "amqp:connection:framing-error",
      (peer) => peer.open().frame(Buffer.alloc(0), 0, 7),
    ],
    ["a channel above channel-max", "amqp:connection:framing-error", (peer) => peer.open().begin(9)],
    [
      "a handle above handle-max",
      "amqp:connection:framing-error",
      (peer) => peer.open().begin().attach({ handle: 9 }),
    ],
    ["a body that is not AMQP", "amqp:decode-error", (peer) => peer.open().frame(Buffer.from("junk"))],
    ["a field of the wrong type", "amqp:decode-error", (peer) => peer.list(0x10, [uint(1)])],
    ["a missing mandatory field", "amqp:decode-error", (peer) => peer.open().begin().list(0x12, ["name"])],
    [
      "a list that declares more items than it has",
      "amqp:decode-error",
      (peer) => peer.open().begin().frame(Buffer.from("005314d00000000500ffffff43", "hex")),
    ],
    ["an unknown performative", "amqp:not-implemented", (peer) => peer.open().begin().list(0x19, [])],
    ["a frame before open", "amqp:illegal-state", (peer) => peer.begin()],
    ["a second open", "amqp:illegal-state", (peer) => peer.open().open()],
    ["a frame for a channel without session", "amqp:not-allowed", (peer) => peer.open().attach()],
    ["a second begin on a channel", "amqp:not-allowed", (peer) => peer.open().begin().begin()],
  ])("for %s", (_name, condition, slip) => {
    const peer = new RawPeer({ channelMax: 3, handleMax: 3 });
    slip(peer);
    expect(peer.error(closeType)).toMatchObject({ condition, description: expect.any(String) });
    expect(peer.server.isEnded).toBe(true);
    peer.begin();
    expect(peer.server.takeOutput()).toEqual([]);
  });

  it("after an open, even if the peer's is refused", () => {
    const peer = new RawPeer();
    peer.begin();
    expect(peer.answers().map(({ code }) => code)).toEqual([openType.code, closeType.code]);
  });
});

describe("the session is ended", () => {
  it.each<[string, string, (peer: RawPeer) => void]>([
    ["a handle in use", "amqp:session:handle-in-use", (peer) => peer.attach({ name: "other" })],
    [
      "a handle that is not attached",
      "amqp:session:unattached-handle",
      (peer) => peer.list(transferCode, transfer(5, 0)),
    ],
    [
      "a flow for a handle that is not attached",
      "amqp:session:unattached-handle",
      (peer) => peer.flow({ handle: 5 }),
    ],
    [
      "a transfer beyond the window",
      "amqp:session:window-violation",
      (peer) => {
        for (let i = 0; i < 5; i++) peer.list(transferCode, transfer(0, i));
      },
    ],
    [
      "a transfer towards the sender",
      "amqp:not-allowed",
      (peer) => peer.attach({ name: "down", handle: 1, role: true }).list(transferCode, transfer(1, 0)),
    ],
    [
      "a delivery-id in use",
      "amqp:invalid-field",
      (peer) => peer.list(transferCode, transfer(0, 0)).list(transferCode, transfer(0, 0)),
    ],
    [
      "a range that ends before it begins",
      "amqp:invalid-field",
      (peer) => peer.list(dispositionCode, [true, uint(5), uint(4), true]),
    ],
    [
      "too many links",
      "amqp:resource-limit-exceeded",
      (peer) => peer.attach({ name: "b", handle: 1 }).attach({ name: "c", handle: 2 }),
    ],
  ])("for %s", (_name, condition, slip) => {
    const peer = new RawPeer({ incomingWindow: 4, maxLinks: 2 });
    peer.open().begin().attach();
    slip(peer);
    expect(peer.error(endType)).toMatchObject({ condition });
    expect([peer.server.isOpen, peer.links[0]?.isDetached]).toEqual([true, true]);
  });

  it("while another session of the connection continues", () => {
    const peer = new RawPeer();
    peer.open().begin().begin(1).list(transferCode, transfer(5, 0));
    peer.send(attachType, { name: "x", handle: 0, role: false }, 1);
    expect(peer.links.at(-1)?.isAttached).toBe(true);
  });

  it("and nothing more is sent on its channel, not even late responses", () => {
    const peer = new RawPeer();
    peer.onLink = () => {};
    peer.open().begin().attach().send(endType, {});
    peer.answers();
    peer.links[0]?.refuse({ condition: "amqp:not-found" });
    (peer.links[0] as ReceiverLink).accept();
    expect(peer.server.takeOutput()).toEqual([]);
  });
});

describe("the link is detached", () => {
  it.each<[string, string, (peer: RawPeer) => void]>([
    [
      "a delivery without credit",
      "amqp:link:transfer-limit-exceeded",
      (peer) => {
        for (let i = 0; i < 11; i++) peer.list(transferCode, transfer(0, i));
      },
    ],
    [
      "a delivery without its tag",
      "amqp:invalid-field",
      (peer) => peer.list(transferCode, [uint(0), uint(0)]),
    ],
    [
      "a resumed delivery",
      "amqp:not-implemented",
      (peer) => peer.list(transferCode, [...transfer(0, 0), null, null, null, null, null, true]),
    ],
    [
      "a delivery inside another",
      "amqp:not-allowed",
      (peer) => {
        peer.list(transferCode, [...transfer(0, 0), null, null, true]).list(transferCode, transfer(0, 1));
      },
    ],
    [
      "a message above the maximum",
      "amqp:link:message-size-exceeded",
      (peer) => peer.list(transferCode, transfer(0, 0), "x".repeat(101)),
    ],
  ])("for %s", (_name, condition, slip) => {
    const peer = new RawPeer({ maxMessageSize: 100 });
    peer.open().begin().attach();
    slip(peer);
    expect(peer.error(detachType)).toMatchObject({ condition });
    expect(peer.server.isOpen).toBe(true);
    // Input that the peer sent before it received the detach is discarded.
    peer.list(transferCode, transfer(0, 90));
    expect(peer.server.takeOutput()).toEqual([]);
  });

  it("and can be attached again with its name before the peer has answered", () => {
    const peer = new RawPeer();
    peer.open().begin().attach();
    peer.links[0]?.detach({ condition: "amqp:link:detach-forced" });
    peer.attach({ handle: 1 }).send(detachType, { handle: 0, closed: true });
    expect(peer.links.map((link) => link.isAttached)).toEqual([false, true]);
  });
});

describe("unusual but allowed input", () => {
  it("can be a transfer whose fields have their longest or symbolic forms", () => {
    const peer = new RawPeer();
    peer.open().begin().attach();
    const wide = "d0 00000014 00000003 7000000000 7000000000 b00000000174".replaceAll(" ", "");
    const symbolic = encodeValue({ type: "symbol", value: "amqp:transfer:list" });
    peer.frame(Buffer.concat([Buffer.from([0]), symbolic, Buffer.from(wide, "hex")]));
    expect(peer.deliveries.map(({ tag }) => String(tag))).toEqual(["t"]);
  });

  it("can be many links attached in turn on one session, which are all released", () => {
    const peer = new RawPeer({ maxLinks: 2 });
    peer.open().begin();
    for (let i = 0; i < 1000; i++) {
      peer.attach({ name: `link-${i}`, role: i % 2 === 0 }).send(detachType, { handle: 0, closed: true });
    }
    peer.attach();
    expect([peer.server.isOpen, peer.links.at(-1)?.isAttached]).toEqual([true, true]);
    expect(peer.answers().filter(({ code }) => code === detachType.code).length).toBe(1000);
  });

  it("can be an attach without initial-delivery-count", () => {
    const peer = new RawPeer();
    peer
      .open()
      .begin()
      .list(0x12, ["cbs", uint(0), false])
      .list(transferCode, transfer(0, 0));
    expect(peer.deliveries.length).toBe(1);
  });

  it("can be credit that is granted before the response to the attach, and twice", () => {
    const peer = new RawPeer();
    peer.onLink = () => {};
    peer.open().begin().attach({ role: true });
    peer.flow({ handle: 0, linkCredit: 3 }).flow({ handle: 0, linkCredit: 3 });
    const link = peer.links[0] as SenderLink;
    link.accept();
    expect(link.credit).toBe(3);
    link.send(Buffer.from("m"), { deliveryTag: Buffer.from("t") });
    const codes = peer.answers().map(({ code }) => code);
    expect(codes.indexOf(attachType.code)).toBeLessThan(codes.indexOf(transferCode));
    // Repeated by a peer that has received the message: the credit is exactly the given number.
    peer.flow({ handle: 0, deliveryCount: 1, linkCredit: 3, nextIncomingId: 1 });
    expect(link.credit).toBe(3);
    peer.flow({ handle: 0, deliveryCount: 0, linkCredit: 3 });
    expect(link.credit).toBe(2);
  });

  it("can be an echo, which is answered with the current state", () => {
    const peer = new RawPeer();
    peer.open().begin().attach({ role: true });
    peer.answers();
    peer.flow({ handle: 0, linkCredit: 7, wantsEcho: true }).flow({ wantsEcho: true });
    const flows = peer.answers().map(({ body }) => {
      const fields = new FlowFields();
      readFlow(body, fields);
      return [fields.handle, fields.linkCredit];
    });
    expect(flows).toEqual([[0, 7]]);
    peer.flow({ wantsEcho: true });
    expect(peer.answers().length).toBe(1);
  });

  it("can be an aborted delivery, which is not delivered", () => {
    const peer = new RawPeer();
    peer.open().begin().attach();
    peer.list(transferCode, [...transfer(0, 0), null, null, true], "half");
    peer.list(transferCode, [uint(0), null, null, null, null, null, null, null, null, true]);
    peer.list(transferCode, transfer(0, 1), "whole");
    expect(peer.deliveries.map(({ message }) => String(message))).toEqual(["whole"]);
  });

  it("can be delivery-ids that overflow and ranges across the overflow", () => {
    const peer = new RawPeer();
    peer.open().begin().attach();
    for (const id of [0xfffffffe, 0xffffffff, 0, 1]) {
      peer.list(transferCode, [uint(0), uint(id), Buffer.from("t")]);
    }
    const link = peer.links[0] as ReceiverLink;
    const settled: number[] = [];
    link.handler.onSettled = ({ id }) => settled.push(id);
    peer.list(dispositionCode, [false, uint(0xfffffffe), uint(0), true]);
    expect([settled, link.unsettled]).toEqual([[0xfffffffe, 0xffffffff, 0], 1]);
    peer.list(dispositionCode, [false, uint(0), uint(0x7fffffff), true]);
    expect(link.unsettled).toBe(0);
  });

  it("can be a disposition for unknown deliveries", () => {
    const peer = new RawPeer();
    peer.open().begin().attach({ role: true });
    peer.list(dispositionCode, [true, uint(0), uint(0x7ffffffe), true]);
    expect(peer.server.isOpen).toBe(true);
  });
});
