import {
  type Broker,
  BrokerError,
  type BrokerReceivedMessage,
  type BrokerReceiver,
  openBroker,
} from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { required } from "@waybill/foundation";
import { pick, randomFrom } from "waybill-harness/random.js";
import { pause } from "waybill-harness/waiting.js";
import { Journal } from "../ledger/journal.js";
import { absent, type Effect } from "../ledger/lines.js";

// The process that is killed: opens the store, records what it finds, then runs all kinds of operations forever.
// Arguments: directory, file of its journal, seed, generation.

const [directory, journalFile, seedText, generation] = process.argv.slice(2) as [
  string,
  string,
  string,
  string,
];
const hourMs = 3_600_000;
const sessions = ["s0", "s1", "s2", "s3"];

const random = randomFrom(Number(seedText));
const journal = Journal.inFile(journalFile);
let names = 0;

const broker = await openBroker({ storage: await openDurableStorage(directory) });
await find(broker);
await makeEntities(broker);
process.send?.("ready");

const workers = [
  ...Array.from({ length: 3 }, () => sendForEver("plain")),
  ...Array.from({ length: 3 }, () => settleForEver("plain")),
  drainForEver("plain/$DeadLetterQueue"),
  sendForEver("sessions", () => pick(sessions, random)),
  ...Array.from({ length: 2 }, () => workInSessionsForEver()),
  scheduleForEver(),
  repeatForEver(),
  drainForEver("once"),
  sendForEver("from"),
  moveForEver(),
  drainForEver("to"),
];
try {
  await Promise.race(workers);
} catch (error) {
  // The disk is full: every operation is refused from here on, and the process exits.
  if (!(error instanceof BrokerError) || error.code !== "storage-failed") throw error;
  await broker.close();
  process.exit(3);
}

async function makeEntities(target: Broker): Promise<void> {
  const queues = {
    plain: { maxDeliveryCount: 2000 },
    sessions: { requiresSession: true, maxDeliveryCount: 2000 },
    later: {},
    once: { requiresDuplicateDetection: true },
    from: { maxDeliveryCount: 2000 },
    to: {},
  };
  const there = new Set(target.listEntities().map(({ path }) => path));
  for (const [path, options] of Object.entries(queues)) {
    if (!there.has(path))
      await journal.attempt("create", [[`entity/${path}`, "made"]], () => target.createQueue(path, options));
  }
}

/** Everything that was recovered. */
async function find(target: Broker): Promise<void> {
  const things: Effect[] = target.listEntities().map(({ path }) => [`entity/${path}`, "made"]);
  const sequences: [string, string, string][] = [];
  for (const { path, messages } of target.snapshot().stores) {
    for (const { message } of messages) {
      things.push([`${path.split("/")[0]}/${message.messageId}`, stateOf(path, message)]);
      sequences.push([path, String(message.sequenceNumber), String(message.messageId)]);
    }
  }
  if (target.listEntities().some(({ path }) => path === "sessions")) {
    for (const sessionId of sessions) {
      const session = await target.acceptSession("sessions", { sessionId });
      const state = await session.getState();
      if (state !== undefined) things.push([`session/${sessionId}`, Buffer.from(state).toString()]);
      await session.close();
    }
  }
  journal.found(things, sequences);
}

function stateOf(path: string, message: BrokerReceivedMessage): string {
  if (
    Buffer.from(bodyOf(message)).toString("latin1") !== bodyFor(String(message.messageId)).toString("latin1")
  ) {
    return "changed";
  }
  if (path.toLowerCase().endsWith("/$deadletterqueue")) return "dead";
  return message.state === "active" ? `active ${message.deliveryCount}` : message.state;
}

async function sendForEver(
  queue: string,
  sessionId: () => string | undefined = () => undefined,
): Promise<never> {
  const sender = broker.sender(queue);
  for (;;) {
    const session = sessionId();
    const ids = Array.from({ length: 1 + random(4) }, newName);
    const effects = ids.map((id): Effect => [`${queue}/${id}`, "active 0"]);
    await journal.attempt("send", effects, () => sender.sendBatch(ids.map((id) => messageOf(id, session))));
    await roomIn(queue);
  }
}

async function settleForEver(queue: string): Promise<never> {
  const receiver = broker.receiver(queue);
  const deferred: BrokerReceivedMessage[] = [];
  for (;;) {
    for (const message of await receiver.receive(4, { maxWaitMs: 1000 })) {
      const thing = `${queue}/${message.messageId}`;
      const dice = random(10);
      if (dice < 5) await complete(receiver, message, thing);
      else if (dice < 7)
        await journal.attempt("abandon", [[thing, `active ${message.deliveryCount + 1}`]], () =>
          receiver.abandon(message),
        );
      else if (dice < 8) {
        await journal.attempt("defer", [[thing, "deferred"]], () => receiver.defer(message));
        deferred.push(message);
      } else
        await journal.attempt("dead-letter", [[thing, "dead"]], () =>
          receiver.deadLetter(message, { reason: "dice" }),
        );
      see(message);
    }
    if (deferred.length > 20) await completeDeferred(queue, receiver, deferred.splice(0, 15));
  }
}

async function completeDeferred(
  queue: string,
  receiver: BrokerReceiver,
  deferred: readonly BrokerReceivedMessage[],
): Promise<void> {
  for (const message of await receiver.receiveDeferred(
    deferred.map(({ sequenceNumber }) => sequenceNumber),
  )) {
    await complete(receiver, message, `${queue}/${message.messageId}`);
  }
}

async function drainForEver(path: string): Promise<never> {
  const receiver = broker.receiver(path);
  for (;;) {
    const messages = await receiver.receive(5, { maxWaitMs: 1000 });
    await Promise.all(
      messages.map(async (message) => {
        await complete(receiver, message, `${path.split("/")[0]}/${message.messageId}`);
        see(message);
      }),
    );
  }
}

async function workInSessionsForEver(): Promise<never> {
  for (;;) {
    const session = await broker.acceptSession("sessions", { maxWaitMs: 5000 }).catch(() => undefined);
    if (session === undefined) continue;
    for (const message of await session.receive(3, { maxWaitMs: 5 })) {
      const state = random(8) === 0 ? undefined : newName();
      await journal.attempt("set state", [[`session/${session.sessionId}`, state ?? absent]], () =>
        session.setState(state === undefined ? undefined : Buffer.from(state)),
      );
      await complete(session, message, `sessions/${message.messageId}`);
      see(message);
    }
    await session.close();
  }
}

async function scheduleForEver(): Promise<never> {
  const sender = broker.sender("later");
  const known: [id: string, sequence: bigint][] = [];
  for (;;) {
    const id = newName();
    const scheduledEnqueueTime = new Date(Date.now() + hourMs);
    let sequence: bigint | undefined;
    await journal.attempt("schedule", [[`later/${id}`, "scheduled"]], async () => {
      [sequence] = await sender.schedule([{ ...messageOf(id), scheduledEnqueueTime }]);
    });
    journal.seen("later", String(sequence), id);
    known.push([id, required(sequence)]);
    if (known.length > 20) {
      const [cancelledId, number] = required(known.splice(random(known.length), 1)[0]);
      await journal.attempt("cancel", [[`later/${cancelledId}`, absent]], () =>
        sender.cancelScheduled([number]),
      );
    }
    await roomIn("later");
  }
}

/** Sends messages with used ids, which must have no effect, and with new ones. */
async function repeatForEver(): Promise<never> {
  const sender = broker.sender("once");
  const used: string[] = [];
  for (;;) {
    const id = newName();
    await journal.attempt("send", [[`once/${id}`, "active 0"]], () => sender.send(messageOf(id)));
    used.push(id);
    await sender.send(messageOf(pick(used, random)));
    await roomIn("once");
  }
}

/** Moves messages from one queue to another, in a transaction. */
async function moveForEver(): Promise<never> {
  const receiver = broker.receiver("from");
  const sender = broker.sender("to");
  for (;;) {
    for (const message of await receiver.receive(3, { maxWaitMs: 1000 })) {
      const id = newName();
      const effects: Effect[] = [
        [`from/${message.messageId}`, absent],
        [`to/${id}`, "active 0"],
      ];
      await journal.attempt("move", effects, async () => {
        const transaction = broker.beginTransaction();
        await sender.send(messageOf(id), transaction);
        await receiver.complete(message, transaction);
        await transaction.commit();
      });
      see(message);
    }
  }
}

async function complete(
  receiver: Pick<BrokerReceiver, "complete">,
  message: BrokerReceivedMessage,
  thing: string,
): Promise<void> {
  await journal.attempt("complete", [[thing, absent]], () => receiver.complete(message));
}

/** Waits while a queue is long, so that the store stays small however fast the machine is. */
async function roomIn(queue: string): Promise<void> {
  do await pause(random(4));
  while (broker.getEntity(queue).totalMessageCount > 150);
}

function see(message: BrokerReceivedMessage): void {
  journal.seen(message.entityPath, String(message.sequenceNumber), String(message.messageId));
}

function messageOf(messageId: string, sessionId?: string) {
  return { messageId, sessionId, body: { section: "data", bytes: bodyFor(messageId) } } as const;
}

/** A body whose content and size are derived from the message's id. */
function bodyFor(id: string): Buffer {
  const size = required([10, 100, 1000, 5000][id.charCodeAt(id.length - 1) % 4]);
  return Buffer.alloc(size, id);
}

function bodyOf(message: BrokerReceivedMessage): Uint8Array {
  if (message.body.section !== "data") throw new Error("expected a data body");
  return message.body.bytes;
}

function newName(): string {
  return `${generation}-${names++}`;
}
