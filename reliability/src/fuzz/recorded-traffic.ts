import {
  acceptedState,
  type Connection,
  type ConnectionOptions,
  createConnection,
  type DeliveryState,
  encodeMessage,
  int,
  long,
  type ReceiverLink,
  rejected,
  releasedState,
  type SenderLink,
  saslPlain,
  stringMap,
  symbolMap,
  timestamp,
  uuid,
} from "@waybill/amqp";

/** What one side of a conversation received. */
export interface Recording {
  readonly role: "server" | "client";
  readonly stream: Buffer;
}

/** An endpoint whose owner does something with everything a peer may send. */
export function openEndpoint(role: "server" | "client"): Connection {
  const verdicts: DeliveryState[] = [
    acceptedState,
    acceptedState,
    rejected({ condition: "x:no", description: "no", info: symbolMap({ why: int(1) }) }),
    releasedState,
    { kind: "modified", deliveryFailed: true, messageAnnotations: symbolMap({ a: long(1n) }) },
    { kind: "transactional", transactionId: Buffer.from("tx"), outcome: acceptedState },
  ];
  let turn = 0;
  const options: ConnectionOptions = {
    role,
    containerId: role,
    maxFrameSize: 1024,
    maxMessageSize: 65_536,
    incomingWindow: 50,
    maxLinks: 100,
    ...(role === "server"
      ? { saslMechanisms: [saslPlain((user, password) => user === password)] }
      : { saslCredentials: { mechanism: "PLAIN", initialResponse: Buffer.from("\0u\0u") } }),
    handler: {
      onOpen: (connection) => {
        if (role === "client") converse(connection);
      },
      onLink: (link) => {
        if (turn++ % 7 === 6) link.refuse({ condition: "amqp:not-found", description: "none" });
        else if (link.role === "receiver") own(link, verdicts);
        else give(link);
      },
    },
  };
  return createConnection(options);
}

/** A conversation with SASL, two sessions, links both ways, every outcome, long messages, drain and close. */
export function recordTraffic(): Recording[] {
  const server = openEndpoint("server");
  const client = openEndpoint("client");
  const heard = { server: [] as Uint8Array[], client: [] as Uint8Array[] };
  for (;;) {
    const up = client.takeOutput();
    const down = server.takeOutput();
    if (up.length === 0 && down.length === 0) break;
    hear(server, up, heard.server);
    hear(client, down, heard.client);
  }
  if (!server.isEnded || !client.isEnded) throw new Error("the recorded connection did not end");
  return [
    { role: "server", stream: Buffer.concat(heard.server) },
    { role: "client", stream: Buffer.concat(heard.client) },
  ];
}

function hear(endpoint: Connection, parts: readonly Uint8Array[], heard: Uint8Array[]): void {
  if (parts.length === 0) return;
  const bytes = Buffer.concat(parts);
  heard.push(bytes);
  endpoint.receive(bytes);
}

/** The client's part, driven by the server's answers: send, receive, settle, drain, detach, end, close. */
function converse(client: Connection): void {
  let openSessions = 2;
  for (let s = 0; s < 2; s++) {
    const session = client.openSession();
    const sender = session.openSender({ name: "up", target: { kind: "target", address: "q" } });
    const control = session.openSender({ name: "tx", target: { kind: "coordinator" } });
    const filter = symbolMap({ "com.microsoft:session-filter": null });
    const source = { kind: "source", address: "q", filter } as const;
    const receiver = session.openReceiver({ name: "down", source, sndSettleMode: 0, rcvSettleMode: 1 });
    for (let i = 0; i < 12; i++) {
      sender.send(message(i === 5 ? 5000 : 20), {
        deliveryTag: Buffer.from([i]),
        settled: i % 5 === 4,
        format: i,
      });
    }
    control.send(message(1), { deliveryTag: Buffer.from("d") });
    receiver.addCredit(12);
    receiver.handler = {
      onTransfer: (delivery) => {
        if (delivery.id % 2 === 0) receiver.settle(delivery, acceptedState);
        else receiver.propose(delivery, releasedState);
        if (delivery.id === 6) receiver.drain();
      },
      onDrained: () => {
        receiver.detach();
        if (s === 0) session.end();
        if (--openSessions === 0) client.close();
      },
    };
  }
}

function own(link: ReceiverLink, verdicts: readonly DeliveryState[]): void {
  link.handler.onTransfer = (delivery) => {
    link.settle(delivery, verdicts[delivery.id % verdicts.length] ?? acceptedState);
  };
  link.accept({ creditWindow: 20, properties: symbolMap({ now: timestamp(0n) }) });
}

function give(link: SenderLink): void {
  let sent = 0;
  link.handler = {
    onCredit: () => {
      while (link.credit > 0 && sent < 8) {
        link.send(message(sent === 3 ? 3000 : 30), { deliveryTag: Buffer.from([sent++]) });
      }
    },
    onDisposition: (delivery, state) => link.settle(delivery, state),
  };
  link.accept();
}

function message(size: number): Uint8Array {
  return encodeMessage({
    header: { deliveryCount: 0, ttl: 1000 },
    messageAnnotations: symbolMap({
      "x-opt-sequence-number": long(5n),
      "x-opt-enqueued-time": timestamp(1n),
    }),
    properties: { messageId: uuid(new Uint8Array(16)), contentType: "text/plain" },
    applicationProperties: stringMap({ text: "value", number: 1.5 }),
    body: { kind: "data", sections: [Buffer.alloc(size, "m")] },
  });
}
