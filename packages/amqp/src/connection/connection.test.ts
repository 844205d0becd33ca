import { describe, expect, it } from "vitest";
import type {
  Connection,
  IncomingDelivery,
  OutgoingDelivery,
  ReceiverAcceptOptions,
  ReceiverLink,
  SenderLink,
  Session,
} from "../api.js";
import { symbolMap, uint } from "../codec/value.js";
import type { AmqpError } from "../frames/amqp-error.js";
import { acceptedState, type DeliveryState, rejected, releasedState } from "../frames/delivery-state.js";
import { scanMessage } from "../message/sections.js";
import { createConnection } from "./connection.js";
import type { ConnectionOptions } from "./connection-options.js";
import { saslAnonymous, saslExternal, saslPlain } from "./sasl.js";

/** A connected client and server: `turn` passes the output of each to the other until there is none. */
class Pair {
  readonly server: Connection;
  readonly client: Connection;
  readonly serverLinks: (SenderLink | ReceiverLink)[] = [];
  readonly serverSessions: Session[] = [];
  serverError: AmqpError | undefined;
  clientError: AmqpError | undefined;
  isServerClosed = false;
  isClientClosed = false;
  onLink: (link: SenderLink | ReceiverLink) => void = (link) => link.accept();

  constructor(server: Partial<ConnectionOptions> = {}, client: Partial<ConnectionOptions> = {}) {
    this.server = createConnection({
      containerId: "server",
      ...server,
      handler: {
        onSession: (session) => this.serverSessions.push(session),
        onLink: (link) => {
          this.serverLinks.push(link);
          this.onLink(link);
        },
        onClose: (error) => {
          this.serverError = error;
          this.isServerClosed = true;
        },
      },
    });
    this.client = createConnection({
      role: "client",
      containerId: "client",
      ...client,
      handler: {
        onClose: (error) => {
          this.clientError = error;
          this.isClientClosed = true;
        },
      },
    });
  }

  /** Passes output in both directions until there is none; returns the bytes that the server wrote, in hex. */
  turn(cut = Number.POSITIVE_INFINITY): string {
    const fromServer: Uint8Array[] = [];
    for (let rounds = 0; ; rounds++) {
      if (rounds > 10_000) throw new Error("the two sides never fall silent");
      const up = this.client.takeOutput();
      const down = this.server.takeOutput();
      if (up.length === 0 && down.length === 0) return Buffer.concat(fromServer).toString("hex");
      deliver(this.server, Buffer.concat(up), cut);
      deliver(this.client, Buffer.concat(down), cut);
      fromServer.push(...down);
    }
  }

  openSession(): Session {
    this.turn();
    const session = this.client.openSession();
    this.turn();
    return session;
  }
}

function deliver(to: Connection, bytes: Buffer, cut: number): void {
  for (let at = 0; at < bytes.length; at += cut) to.receive(bytes.subarray(at, at + cut));
}

const tag = (n: number): Uint8Array => Buffer.from(String(n));

/** Client sends, server receives. */
function openSending(pair: Pair, creditWindow = 100, settle = true, options: ReceiverAcceptOptions = {}) {
  const received: IncomingDelivery[] = [];
  pair.onLink = (link) => {
    if (link.role !== "receiver") return;
    link.handler.onTransfer = (delivery) => {
      received.push(delivery);
      if (settle) link.settle(delivery, acceptedState);
    };
    link.accept({ creditWindow, ...options });
  };
  const outcomes: [unknown, DeliveryState | undefined][] = [];
  const sender = pair.openSession().openSender({ name: "up", target: { kind: "target", address: "q" } });
  sender.handler.onDisposition = (delivery, state) => outcomes.push([delivery.context, state]);
  pair.turn();
  return { sender, received, outcomes, receiver: pair.serverLinks[0] as ReceiverLink };
}

/** Server sends, client receives. */
function openReceiving(pair: Pair, credit: number) {
  const received: IncomingDelivery[] = [];
  const dispositions: [OutgoingDelivery, DeliveryState | undefined][] = [];
  pair.onLink = (link) => {
    if (link.role !== "sender") return;
    link.handler.onDisposition = (delivery, state) => dispositions.push([delivery, state]);
    link.accept();
  };
  const receiver = pair
    .openSession()
    .openReceiver({ name: "down", source: { kind: "source", address: "q" } });
  receiver.handler.onTransfer = (delivery) => received.push(delivery);
  receiver.addCredit(credit);
  pair.turn();
  return { receiver, received, dispositions, sender: pair.serverLinks.at(-1) as SenderLink };
}

describe("opening", () => {
  it("works without SASL and passes each side's properties to the other", () => {
    const pair = new Pair({}, { hostname: "example", properties: symbolMap({ product: uint(1) }) });
    pair.turn();
    expect(pair.server.isOpen && pair.client.isOpen).toBe(true);
    expect(pair.server.remoteOpen).toMatchObject({ containerId: "client", hostname: "example" });
    expect(pair.client.remoteOpen).toMatchObject({
      maxFrameSize: 65_536,
      channelMax: 4_999,
      idleTimeOut: 120_000,
    });
  });

  it.each([
    { client: 65_536, offered: 65_536 },
    { client: 4_294_967_295, offered: 262_144 },
  ])("offers no larger frames than a client receives: $client", ({ client, offered }) => {
    const pair = new Pair({ maxFrameSize: 262_144 }, { maxFrameSize: client });
    pair.turn();
    expect(pair.client.remoteOpen?.maxFrameSize).toBe(offered);
  });

  it("works if every byte arrives separately", () => {
    const pair = new Pair(
      { saslMechanisms: [saslAnonymous()] },
      { saslCredentials: { mechanism: "ANONYMOUS" } },
    );
    pair.turn(1);
    expect(pair.server.isOpen && pair.client.isOpen).toBe(true);
  });

  it("sends nothing before the client's header, and never sends the SASL outcome and open together", () => {
    const pair = new Pair(
      { saslMechanisms: [saslAnonymous()] },
      { saslCredentials: { mechanism: "ANONYMOUS" } },
    );
    expect(pair.server.takeOutput()).toEqual([]);
    pair.server.receive(Buffer.concat(pair.client.takeOutput()));
    pair.client.receive(Buffer.concat(pair.server.takeOutput()));
    pair.server.receive(Buffer.concat(pair.client.takeOutput()));
    const outcome = Buffer.concat(pair.server.takeOutput()).toString("hex");
    expect(outcome).toMatch(/^........0201000000534/);
    expect(outcome).not.toContain("414d5150");
    pair.client.receive(Buffer.from(outcome, "hex"));
    pair.turn();
    expect(pair.server.isOpen).toBe(true);
  });

  it("reports the name of a PLAIN user and refuses a wrong password", () => {
    const plain = saslPlain((user, password) => user === "RootManage" && password === "key");
    const credentials = (password: string) => ({
      mechanism: "PLAIN",
      initialResponse: Buffer.from(`\0RootManage\0${password}`),
    });
    const good = new Pair({ saslMechanisms: [plain] }, { saslCredentials: credentials("key") });
    good.turn();
    expect(good.server.identity).toBe("RootManage");
    const bad = new Pair({ saslMechanisms: [plain] }, { saslCredentials: credentials("guess") });
    bad.turn();
    expect(bad.serverError?.condition).toBe("amqp:unauthorized-access");
    expect(bad.client.isEnded && bad.server.isEnded).toBe(true);
  });

  it("allows a mechanism to send a challenge", () => {
    const asking = {
      name: "ASK",
      start: () => ({
        kind: "challenge" as const,
        challenge: Buffer.from("?"),
        respond: (answer: Uint8Array) =>
          Buffer.from(answer).toString() === "!"
            ? { kind: "ok" as const, identity: "x" }
            : { kind: "refused" as const },
      }),
    };
    const pair = new Pair({ saslMechanisms: [asking, saslExternal(() => undefined)] });
    const receiveHex = (hex: string) => pair.server.receive(Buffer.from(hex.replaceAll(" ", ""), "hex"));
    receiveHex("414d5150 03010000");
    receiveHex("00000013 02010000 005341 c0 06 01 a3 03 41534b");
    receiveHex("00000011 02010000 005343 c0 04 01 a0 01 21");
    expect(pair.server.identity).toBe("x");
  });

  it("answers another protocol with its header and closes", () => {
    for (const opening of ["GET / HTTP/1.1\r\n", "AMQP\x00\x00\x09\x01", "AMQP\x02\x01\x00\x00"]) {
      const pair = new Pair();
      pair.server.receive(Buffer.from(opening, "latin1"));
      expect(Buffer.concat(pair.server.takeOutput()).toString("latin1")).toBe("AMQP\x00\x01\x00\x00");
      expect(pair.server.isEnded && pair.isServerClosed).toBe(true);
    }
  });

  it("can require SASL", () => {
    const pair = new Pair({ saslMechanisms: [saslAnonymous()], withoutSasl: "refuse" });
    pair.turn();
    expect(pair.isServerClosed && !pair.server.isOpen).toBe(true);
  });
});

describe("createConnection", () => {
  it.each([{ maxFrameSize: 511 }, { channelMax: 65_536 }, { idleTimeOutMs: -1 }, { incomingWindow: 0.5 }])(
    "refuses %o",
    (options) => {
      expect(() => new Pair(options)).toThrow(new RegExp(`^${Object.keys(options)[0]} must be an integer`));
    },
  );

  it("notifies a client's owner immediately that there is output", () => {
    let notified = 0;
    createConnection({ role: "client", containerId: "c", handler: { onOutput: () => notified++ } });
    expect(notified).toBe(1);
  });
});

describe("closing", () => {
  it("is answered and reported to both owners with the error", () => {
    const pair = new Pair();
    pair.turn();
    pair.server.close({ condition: "amqp:connection:forced", description: "bye" });
    pair.turn();
    expect(pair.clientError).toEqual({ condition: "amqp:connection:forced", description: "bye" });
    expect(pair.isServerClosed && pair.server.isEnded && pair.client.isEnded).toBe(true);
  });

  it("ends links and sessions once when the socket closes, and settles nothing", () => {
    const pair = new Pair();
    const { sender, received } = openReceiving(pair, 1);
    let detached = 0;
    sender.handler.onDetach = () => detached++;
    sender.send(tag(1), { deliveryTag: tag(1) });
    pair.turn();
    pair.server.disconnect();
    pair.server.disconnect();
    expect([detached, received.length, sender.isDetached]).toEqual([1, 1, true]);
    expect(pair.server.takeOutput()).toEqual([]);
    expect(sender.send(tag(2), { deliveryTag: tag(2) })).toBeUndefined();
  });

  it("rethrows an owner's exception after closing with internal-error", () => {
    const pair = new Pair();
    pair.onLink = () => {
      throw new Error("bug");
    };
    pair.openSession().openSender({ name: "x" });
    expect(() => pair.turn()).toThrow("bug");
    pair.turn();
    expect(pair.clientError?.condition).toBe("amqp:internal-error");
  });
});

describe("a malformed message", () => {
  it("closes the connection with decode-error when the owner does not catch it", () => {
    const pair = new Pair();
    const { sender, receiver } = openSending(pair);
    receiver.handler.onTransfer = ({ message }) => scanMessage(message);
    sender.send(Buffer.from("junk"), { deliveryTag: tag(1) });
    pair.turn();
    expect(pair.clientError?.condition).toBe("amqp:decode-error");
  });
});

describe("tick", () => {
  it("sends an empty frame if nothing else was sent within the peer's timeout", () => {
    const pair = new Pair({}, { idleTimeOutMs: 3000 });
    pair.turn();
    expect(pair.server.tick(0)).toBe(1000);
    expect(pair.server.takeOutput()).toEqual([]);
    expect(pair.server.tick(1000)).toBe(2000);
    pair.server.tick(2000);
    expect(Buffer.concat(pair.server.takeOutput()).toString("hex")).toBe("0000000802000000");
  });

  it("closes the connection of a silent peer after twice the announced timeout", () => {
    const pair = new Pair({ idleTimeOutMs: 1000 }, { idleTimeOutMs: 0 });
    pair.turn();
    expect(pair.server.tick(0)).toBe(2000);
    pair.server.receive(Buffer.from("0000000802000000", "hex"));
    expect(pair.server.tick(1999)).toBe(3999);
    expect(pair.server.tick(3999)).toBeUndefined();
    pair.turn();
    expect(pair.clientError?.condition).toBe("amqp:resource-limit-exceeded");
  });

  it("closes the connection of a peer that never finishes opening", () => {
    const pair = new Pair({ handshakeTimeoutMs: 500 });
    expect(pair.server.tick(10)).toBe(510);
    expect(pair.server.tick(510)).toBeUndefined();
    expect(pair.isServerClosed && pair.server.isEnded).toBe(true);
  });
});

describe("sessions", () => {
  it("are as many as the peer's channel-max allows", () => {
    const pair = new Pair({ channelMax: 1 });
    pair.turn();
    pair.client.openSession();
    pair.client.openSession();
    expect(() => pair.client.openSession()).toThrow("the peer takes no more sessions");
  });

  it("end on both sides, with the error and with their links", () => {
    const pair = new Pair();
    const { sender } = openSending(pair);
    const reasons: unknown[] = [];
    sender.handler.onDetach = (error) => reasons.push(error);
    sender.session.onEnd = (error) => reasons.push(error);
    const error = { condition: "amqp:session:errant-link" };
    pair.serverSessions[0]?.end(error);
    pair.turn();
    expect(reasons).toEqual([error, error]);
    expect([pair.serverSessions[0]?.isEnded, pair.client.isOpen]).toEqual([true, true]);
  });

  it("release their channel for the next session", () => {
    const pair = new Pair({ channelMax: 0 });
    for (let i = 0; i < 3; i++) pair.openSession().end();
    pair.openSession();
    expect(pair.serverSessions.map((session) => session.isEnded)).toEqual([true, true, true, false]);
  });
});

describe("links", () => {
  it("repeat the peer's terminus verbatim by default", () => {
    const pair = new Pair();
    pair.onLink = (link) => link.accept({ properties: symbolMap({ granted: true }) });
    const filter = symbolMap({ "com.microsoft:session-filter": null });
    const receiver = pair
      .openSession()
      .openReceiver({ name: "r", source: { kind: "source", address: "/Q", filter } });
    pair.turn();
    expect(receiver.remoteSource).toMatchObject({ address: "/Q", filter });
    expect(receiver.remoteAttach?.properties?.get("granted")).toBe(true);
    expect(receiver.isAttached).toBe(true);
  });

  it("may have the same name in both directions of one session", () => {
    const pair = new Pair();
    const session = pair.openSession();
    const [one, other] = [session.openSender({ name: "n" }), session.openReceiver({ name: "n" })];
    pair.turn();
    expect([one.isAttached, other.isAttached]).toEqual([true, true]);
  });

  it("are replaced by a second attach of the same name and role", () => {
    const pair = new Pair();
    const { receiver } = openReceiving(pair, 1);
    const first = pair.serverLinks[0] as SenderLink;
    let stolen: AmqpError | undefined;
    first.handler.onDetach = (error) => {
      stolen = error;
    };
    const again = receiver.session.openReceiver({ name: "down" });
    pair.turn();
    expect(stolen?.condition).toBe("amqp:link:stolen");
    expect([receiver.isDetached, again.isAttached]).toEqual([true, true]);
  });

  it("are refused with an attach without terminus and a detach", () => {
    const pair = new Pair();
    const error = { condition: "amqp:not-found", description: "no such queue" };
    pair.onLink = (link) => link.refuse(error);
    const sender = pair
      .openSession()
      .openSender({ name: "s", target: { kind: "target", address: "nowhere" } });
    const reasons: unknown[] = [];
    sender.handler.onDetach = (reason) => reasons.push(reason);
    pair.turn();
    expect(reasons).toEqual([error]);
    expect([sender.remoteSource, sender.remoteTarget]).toEqual([undefined, undefined]);
  });

  it("can be answered late, and then use the credit granted meanwhile", () => {
    const pair = new Pair();
    pair.onLink = (link) => {
      if (link.role === "sender") link.handler.onCredit = (l) => l.send(tag(1), { deliveryTag: tag(1) });
    };
    const received: IncomingDelivery[] = [];
    const receiver = pair.openSession().openReceiver({ name: "r" });
    receiver.handler.onTransfer = (delivery) => received.push(delivery);
    pair.turn();
    // A peer that does not wait for the response: its flow has the handle that it attached.
    pair.server.receive(
      Buffer.from("0000001f02000000005313c0120b430143014301434301404042424040".slice(0), "hex").subarray(
        0,
        0,
      ),
    );
    const link = pair.serverLinks[0] as SenderLink;
    expect([receiver.isAttached, link.isAttached]).toEqual([false, false]);
    link.accept();
    receiver.addCredit(1);
    pair.turn();
    expect(received.map(({ message }) => String(message))).toEqual(["1"]);
  });

  it("can be detached by the peer before they are answered", () => {
    const pair = new Pair();
    let detached = 0;
    pair.onLink = (link) => {
      link.handler.onDetach = () => detached++;
    };
    const receiver = pair.openSession().openReceiver({ name: "r" });
    pair.turn();
    receiver.detach();
    pair.turn();
    const link = pair.serverLinks[0] as SenderLink;
    link.accept();
    expect([detached, link.isDetached]).toEqual([1, true]);
    expect(pair.server.takeOutput()).toEqual([]);
  });

  it("can have a coordinator as their target", () => {
    const pair = new Pair();
    const target = { kind: "coordinator", capabilities: ["amqp:local-transactions"] } as const;
    const sender = pair.openSession().openSender({ name: "tx", target });
    pair.turn();
    expect(pair.serverLinks[0]?.remoteTarget).toEqual(target);
    expect(sender.remoteTarget).toEqual(target);
  });
});

describe("receiving", () => {
  it("passes on complete messages, with tag, format and state", () => {
    const pair = new Pair();
    const { sender, received } = openSending(pair);
    const state = { kind: "transactional", transactionId: Buffer.from("tx") } as const;
    sender.send(Buffer.from("hello"), { deliveryTag: tag(7), format: 0x80013700, state });
    pair.turn();
    expect(received).toMatchObject([{ id: 0, format: 0x80013700, state, isSettled: true }]);
    expect([received[0]?.tag, received[0]?.message].map(String)).toEqual(["7", "hello"]);
  });

  it("joins messages of many frames, interleaved between links", () => {
    const pair = new Pair({ maxFrameSize: 512, incomingWindow: 4 });
    const received: string[] = [];
    pair.onLink = (link) => {
      if (link.role !== "receiver") return;
      link.handler.onTransfer = (delivery) => received.push(Buffer.from(delivery.message).toString());
      link.accept({ creditWindow: 10 });
    };
    const session = pair.openSession();
    const senders = ["a", "b"].map((name) => session.openSender({ name }));
    pair.turn();
    const texts = ["a", "b"].map((letter) => letter.repeat(10_000));
    for (const [i, sender] of senders.entries()) {
      sender.send(Buffer.from(texts[i] ?? ""), { deliveryTag: tag(i) });
    }
    pair.turn(100);
    expect(received.sort()).toEqual(texts);
  });

  it("never changes a message, tag or state after passing it on, for any later input", () => {
    const pair = new Pair({ maxFrameSize: 8192 });
    const { sender, received } = openSending(pair);
    const sent = [20_000, 8000, 30_000, 5000, 8000, 100, 20_000].map((size, i) => ({
      message: Buffer.alloc(size, i + 1),
      tag: Buffer.alloc(20, i + 1),
      transactionId: Buffer.alloc(10, i + 1),
    }));
    for (const [i, { message, tag: deliveryTag, transactionId }] of sent.entries()) {
      // Every other message has a state in its first frame.
      const state = i % 2 === 1 && { state: { kind: "transactional", transactionId } as const };
      sender.send(message, { deliveryTag, ...state });
    }
    // No frame fits into one piece, so each is assembled.
    pair.turn(3000);
    expect(received.map(({ message }) => Buffer.from(message))).toEqual(sent.map(({ message }) => message));
    expect(received.map((delivery) => Buffer.from(delivery.tag))).toEqual(sent.map((one) => one.tag));
    const ids = received.map(
      ({ state }) => state?.kind === "transactional" && Buffer.from(state.transactionId),
    );
    expect(ids).toEqual(sent.map(({ transactionId }, i) => i % 2 === 1 && transactionId));
  });

  it("detaches a link whose peer sends a message above the maximum, before it is complete", () => {
    const pair = new Pair({ maxFrameSize: 512, maxMessageSize: 2000 });
    const { sender, received, receiver } = openSending(pair);
    let error: AmqpError | undefined;
    sender.handler.onDetach = (reason) => {
      error = reason;
    };
    sender.send(Buffer.alloc(3000), { deliveryTag: tag(1) });
    pair.turn();
    expect(error?.condition).toBe("amqp:link:message-size-exceeded");
    expect([received.length, receiver.isDetached, pair.server.isOpen]).toEqual([0, true, true]);
  });

  it("rejects a message above the maximum and keeps the link if configured so", () => {
    const pair = new Pair({ maxFrameSize: 512, maxMessageSize: 2000 });
    const { sender, received, receiver } = openSending(pair, 10, true, { oversized: "reject" });
    const states: unknown[] = [];
    sender.handler.onDisposition = (_delivery, state) => states.push(state);
    sender.send(Buffer.alloc(30_000), { deliveryTag: tag(1) });
    sender.send(Buffer.alloc(100), { deliveryTag: tag(2) });
    pair.turn();
    expect(states).toMatchObject([
      { kind: "rejected", error: { condition: "amqp:link:message-size-exceeded" } },
      { kind: "accepted" },
    ]);
    expect([received.length, receiver.isDetached]).toEqual([1, false]);
  });

  it("renews the credit when deliveries are settled, not before", () => {
    const pair = new Pair();
    const { sender, received, receiver } = openSending(pair, 4, false);
    for (let i = 0; i < 10; i++) sender.send(tag(i), { deliveryTag: tag(i), context: i });
    pair.turn();
    expect([received.length, sender.queued, receiver.credit]).toEqual([4, 6, 0]);
    while (receiver.unsettled > 0) {
      for (const delivery of [...received]) receiver.settle(delivery, acceptedState);
      pair.turn();
    }
    expect(received.length).toBe(10);
  });
});

describe("settling what was received", () => {
  it("joins consecutive deliveries with the same outcome into one range", () => {
    const pair = new Pair();
    const { sender, received, receiver, outcomes } = openSending(pair, 100, false);
    for (let i = 0; i < 20; i++) sender.send(tag(i), { deliveryTag: tag(i), context: i });
    pair.turn();
    for (const delivery of received) receiver.settle(delivery, acceptedState);
    expect(pair.turn()).toMatch(/^........02000000005315d0........00000005414352134100532445$/);
    expect(outcomes.map(([context]) => context)).toEqual([...Array(20).keys()]);
  });

  it("never joins different outcomes", () => {
    const pair = new Pair();
    const { sender, received, receiver, outcomes } = openSending(pair, 100, false);
    const verdicts: DeliveryState[] = [
      acceptedState,
      rejected({ condition: "x:a", description: "one" }),
      rejected({ condition: "x:a", description: "two" }),
      releasedState,
      { kind: "modified", undeliverableHere: true, messageAnnotations: symbolMap({ a: 1 }) },
      { kind: "transactional", transactionId: Buffer.from("t"), outcome: acceptedState },
      acceptedState,
      { kind: "declared", transactionId: Buffer.from("d") },
    ];
    for (let i = 0; i < 64; i++) sender.send(tag(i), { deliveryTag: tag(i), context: i });
    pair.turn();
    const verdictOf = (i: number) => verdicts[(i * 5) % verdicts.length] as DeliveryState;
    for (const [i, delivery] of received.entries()) receiver.settle(delivery, verdictOf(i));
    pair.turn();
    expect(outcomes).toEqual(received.map((_, i) => [i, verdictOf(i)]));
  });
});

describe("sending", () => {
  it("does not exceed the credit of a link, without blocking others", () => {
    const pair = new Pair();
    const starved = openReceiving(pair, 0);
    const served = starved.receiver.session.openReceiver({ name: "served" });
    const got: string[] = [];
    served.handler.onTransfer = ({ message }) => got.push(String(message));
    served.addCredit(10);
    pair.turn();
    starved.sender.send(tag(0), { deliveryTag: tag(0) });
    (pair.serverLinks.at(-1) as SenderLink).send(tag(1), { deliveryTag: tag(1) });
    pair.turn();
    expect([got, starved.received.length, starved.sender.queued]).toEqual([["1"], 0, 1]);
    starved.receiver.addCredit(1);
    pair.turn();
    expect(starved.received.map(({ message }) => String(message))).toEqual(["0"]);
  });

  it("does not exceed the session's window, and continues when it opens", () => {
    const pair = new Pair({}, { incomingWindow: 3, maxFrameSize: 512 });
    const { sender, received } = openReceiving(pair, 100);
    const message = Buffer.alloc(5000, "m");
    for (let i = 0; i < 5; i++)
      sender.send([message.subarray(0, 10), message.subarray(10)], { deliveryTag: tag(i) });
    expect(sender.queued).toBe(5);
    pair.turn();
    expect(received.map((delivery) => Buffer.compare(delivery.message, message))).toEqual([0, 0, 0, 0, 0]);
  });

  it("includes the window in the credit and reports when it opens", () => {
    const pair = new Pair({}, { incomingWindow: 4 });
    const { sender, receiver, received } = openReceiving(pair, 0);
    let sent = 0;
    const offered: number[] = [];
    sender.handler.onCredit = (link) => {
      offered.push(link.credit);
      while (link.credit > 0 && sent < 10) link.send(tag(sent), { deliveryTag: tag(sent++) });
      expect(link.queued).toBe(0);
    };
    receiver.addCredit(1000);
    pair.turn();
    expect([received.length, Math.max(...offered)]).toEqual([10, 4]);
  });

  it("keeps ten thousand unsettled deliveries and settles them in any order", () => {
    const pair = new Pair();
    const { sender, receiver, received, dispositions } = openReceiving(pair, 20_000);
    for (let i = 0; i < 10_000; i++) sender.send(tag(i), { deliveryTag: tag(i), context: i });
    pair.turn();
    for (const delivery of received.slice(1).reverse()) receiver.propose(delivery, acceptedState);
    pair.turn();
    expect(dispositions.length).toBe(9_999);
    for (const [delivery, state] of dispositions) sender.settle(delivery, state);
    const settled: unknown[] = [];
    receiver.handler.onSettled = (delivery, state) => settled.push([delivery.id, state]);
    expect(pair.turn().length / 2).toBeLessThan(100);
    expect(settled.length).toBe(9_999);
    expect([received[0]?.isSettled, receiver.unsettled]).toEqual([false, 1]);
  });

  it("needs no response if sent settled", () => {
    const pair = new Pair();
    const { sender, received } = openReceiving(pair, 1);
    expect(sender.send(tag(1), { deliveryTag: tag(1), settled: true })?.isSettled).toBe(true);
    pair.turn();
    expect(received).toMatchObject([{ isSettled: true }]);
  });

  it("refuses a tag that is too long", () => {
    const pair = new Pair();
    const { sender } = openReceiving(pair, 1);
    expect(() => sender.send(tag(1), { deliveryTag: Buffer.alloc(33) })).toThrow(TypeError);
  });
});

describe("drain", () => {
  it("returns unused credit after sending", () => {
    const pair = new Pair();
    const { sender, receiver, received } = openReceiving(pair, 10);
    sender.handler.onCredit = (link) => {
      if (link.isDraining) link.send(tag(1), { deliveryTag: tag(1) });
    };
    const drainedAfter: number[] = [];
    receiver.handler.onDrained = () => drainedAfter.push(received.length);
    receiver.drain();
    pair.turn();
    expect([drainedAfter, receiver.credit, sender.credit]).toEqual([[1], 0, 0]);
  });

  it("is answered if there is no credit to return", () => {
    const pair = new Pair();
    const { sender, receiver } = openReceiving(pair, 1);
    sender.send(tag(1), { deliveryTag: tag(1) });
    pair.turn();
    let drained = 0;
    receiver.handler.onDrained = () => drained++;
    receiver.drain();
    pair.turn();
    expect(drained).toBe(1);
  });

  it("waits for an owner that answers itself", () => {
    const pair = new Pair();
    const { sender, receiver } = openReceiving(pair, 5);
    sender.handler.onDrain = () => {};
    let drained = 0;
    receiver.handler.onDrained = () => drained++;
    receiver.drain();
    pair.turn();
    expect(drained).toBe(0);
    sender.completeDrain();
    pair.turn();
    expect(drained).toBe(1);
  });

  it("keeps the link usable with new credit", () => {
    const pair = new Pair();
    const { sender, receiver, received } = openReceiving(pair, 5);
    receiver.drain();
    pair.turn();
    receiver.addCredit(1);
    pair.turn();
    expect([sender.credit, sender.isDraining]).toEqual([1, false]);
    sender.send(tag(1), { deliveryTag: tag(1) });
    pair.turn();
    expect(received.length).toBe(1);
  });
});

describe("acknowledge", () => {
  const emptyFrame = "0000000802000000";
  /** The output of the server, in hex. */
  const said = (pair: Pair): string => Buffer.concat(pair.server.takeOutput()).toString("hex");

  it("sends one empty frame for input without a response", () => {
    const pair = new Pair();
    const { receiver } = openReceiving(pair, 1);
    pair.server.acknowledge();
    expect(said(pair)).toBe(emptyFrame);
    pair.server.acknowledge();
    expect(said(pair)).toBe("");
    receiver.addCredit(1);
    pair.server.receive(Buffer.concat(pair.client.takeOutput()));
    pair.server.acknowledge();
    expect(said(pair)).toBe(emptyFrame);
  });

  it("adds nothing to a response, before or after it was read", () => {
    const pair = new Pair();
    pair.turn();
    pair.client.openSession();
    pair.server.receive(Buffer.concat(pair.client.takeOutput()));
    pair.server.acknowledge();
    expect(said(pair)).not.toContain(emptyFrame);
    pair.server.acknowledge();
    expect(said(pair)).toBe("");
  });

  it("does not answer empty frames, because two acknowledging peers would never stop", () => {
    const pair = new Pair();
    pair.turn();
    pair.server.receive(Buffer.from(emptyFrame, "hex"));
    pair.server.acknowledge();
    expect(said(pair)).toBe("");
  });

  it("sends nothing before the connection is open or after it is closed", () => {
    const pair = new Pair();
    pair.server.receive(Buffer.from("AMQP"));
    pair.server.acknowledge();
    expect(said(pair)).toBe("");
    const closed = new Pair();
    closed.turn();
    closed.client.close();
    closed.turn();
    closed.server.acknowledge();
    expect(said(closed)).toBe("");
  });
});
