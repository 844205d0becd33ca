import type { CallOptions, TransportCapability } from "@waybill/core/transport";
import { handleOf, message, type TransportHarness } from "./transport-harness.js";

/** An operation of the contract, ready to be called in every state. */
export interface Operation {
  readonly name: string;
  readonly needs: readonly TransportCapability[];
  /** Whether it needs the lock of a message or of a session. */
  readonly lock?: "message" | "session";
  /** Creates what the operation needs and returns the call with its object. */
  prepare(harness: TransportHarness): Promise<PreparedOperation>;
}

/** An operation that only has to be called. */
export interface PreparedOperation {
  call(options: CallOptions): Promise<unknown>;
  /** The object it is called on; undefined for the transport itself. */
  readonly owner: { close(): Promise<void> } | undefined;
}

/** Every operation of the transport contract except `subscribe`, which has separate cases. */
export const operations: readonly Operation[] = Object.freeze<Operation[]>([
  onSender("send", [], (sender) => (options) => sender.send([message("lamp")], options)),
  onSender("createBatch", [], (sender) => (options) => sender.createBatch(options)),
  onSender("sendBatch", [], async (sender) => {
    const batch = await sender.createBatch();
    batch.tryAdd(message("lamp"));
    return (options) => sender.sendBatch(batch, options);
  }),
  onSender(
    "schedule",
    ["scheduling"],
    (sender, harness) => (options) => sender.schedule([message("lamp")], inOneHour(harness), options),
  ),
  onSender("cancelScheduled", ["scheduling"], async (sender, harness) => {
    const numbers = await sender.schedule([message("lamp")], inOneHour(harness));
    return (options) => sender.cancelScheduled(numbers, options);
  }),
  onReceiver(
    "receive",
    (receiver) => (options) => receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 1000, ...options }),
  ),
  onReceiver("peek", (receiver) => (options) => receiver.peek({ maxMessages: 1, ...options })),
  {
    name: "receiveDeferred",
    needs: ["deferral"],
    async prepare(harness) {
      const { receiver, delivered } = await withLocked(harness);
      await receiver.defer(handleOf(delivered));
      const numbers = [delivered.sequenceNumber];
      return { call: (options) => receiver.receiveDeferred(numbers, options), owner: receiver };
    },
  },
  onLocked("complete"),
  onLocked("abandon"),
  onLocked("deadLetter"),
  onLocked("renewLock"),
  { ...onLocked("defer"), needs: ["deferral"] },
  {
    name: "acceptSession",
    needs: ["sessions"],
    async prepare(harness) {
      const queue = await withSession(harness);
      const call = (options: CallOptions) =>
        harness.acceptSession(queue, "ada", { maxWaitTimeInMs: 10_000, ...options });
      return { call, owner: undefined };
    },
  },
  onSession("renewSessionLock", (session) => (options) => session.renewSessionLock(options)),
  onSession("getState", (session) => (options) => session.getState(options)),
  onSession("setState", (session) => (options) => session.setState(Uint8Array.of(1), options)),
  onRules(
    "createRule",
    (rules) => (options) =>
      rules.createRule({ name: "big", filter: { sqlExpression: "amount > 100" } }, options),
  ),
  onRules("deleteRule", (rules) => (options) => rules.deleteRule("$Default", options)),
  onRules("listRules", (rules) => (options) => rules.listRules(options)),
]);

type Call = PreparedOperation["call"];
type Sender = ReturnType<TransportHarness["transport"]["createSender"]>;
type Receiver = ReturnType<TransportHarness["receiver"]>;
type Session = Awaited<ReturnType<TransportHarness["transport"]["acceptSession"]>>;
type Rules = ReturnType<TransportHarness["transport"]["createRuleManager"]>;

function onSender(
  name: string,
  needs: readonly TransportCapability[],
  bind: (sender: Sender, harness: TransportHarness) => Call | Promise<Call>,
): Operation {
  return {
    name,
    needs,
    async prepare(harness) {
      const sender = harness.transport.createSender(await harness.createQueue());
      return { call: await bind(sender, harness), owner: sender };
    },
  };
}

function onReceiver(name: string, bind: (receiver: Receiver) => Call): Operation {
  return {
    name,
    needs: [],
    async prepare(harness) {
      const queue = await harness.queueWith("lamp");
      const receiver = harness.receiver(queue);
      return { call: bind(receiver), owner: receiver };
    },
  };
}

function onLocked(name: "complete" | "abandon" | "defer" | "deadLetter" | "renewLock"): Operation {
  return {
    name,
    needs: [],
    lock: "message",
    async prepare(harness) {
      const { receiver, delivered } = await withLocked(harness);
      return { call: (options) => receiver[name](handleOf(delivered), options), owner: receiver };
    },
  };
}

function onSession(name: string, bind: (session: Session) => Call): Operation {
  return {
    name,
    needs: ["sessions"],
    lock: "session",
    async prepare(harness) {
      const queue = await withSession(harness);
      const session = await harness.acceptSession(queue, "ada");
      return { call: bind(session), owner: session };
    },
  };
}

function onRules(name: string, bind: (rules: Rules) => Call): Operation {
  return {
    name,
    needs: ["rules"],
    async prepare(harness) {
      const topic = await harness.createTopic(["billing"]);
      const rules = harness.transport.createRuleManager(topic, "billing");
      return { call: bind(rules), owner: rules };
    },
  };
}

async function withLocked(harness: TransportHarness) {
  const { queue, receiver } = await harness.queueWithReceiver();
  return { receiver, delivered: await harness.sendAndReceive(queue, receiver) };
}

async function withSession(harness: TransportHarness): Promise<string> {
  const queue = await harness.createQueue({ requiresSession: true });
  await harness.send(queue, message("lamp", { sessionId: "ada" }));
  return queue;
}

function inOneHour(harness: TransportHarness): Date {
  return new Date(harness.now().getTime() + 3_600_000);
}
