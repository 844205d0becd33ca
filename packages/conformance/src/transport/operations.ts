import type { CallOptions, TransportCapability } from "@waybill/core/transport";
import { handleOf, message, type TransportTrial } from "./transport-trial.js";

/** An operation of the contract, ready to be tried in every circumstance. */
export interface Operation {
  readonly name: string;
  readonly needs: readonly TransportCapability[];
  /** Whether it goes by the lock of a message or of a session. */
  readonly lock?: "message" | "session";
  /** Makes all that the operation needs and returns the call with the thing it is made on. */
  prepare(trial: TransportTrial): Promise<PreparedOperation>;
}

/** An operation that only has to be called. */
export interface PreparedOperation {
  call(options: CallOptions): Promise<unknown>;
  /** What it is called on; undefined when that is the transport itself. */
  readonly owner: { close(): Promise<void> } | undefined;
}

/** Every operation of the transport contract but `subscribe`, which has cases of its own. */
export const operations: readonly Operation[] = Object.freeze<Operation[]>([
  onSender("send", [], (sender) => (options) => sender.send([message("lamp")], options)),
  onSender("createBatch", [], (sender) => (options) => sender.createBatch(options)),
  {
    name: "sendBatch",
    needs: [],
    async prepare(trial) {
      const sender = trial.transport.createSender(await trial.createQueue());
      const batch = await sender.createBatch();
      batch.tryAdd(message("lamp"));
      return { call: (options) => sender.sendBatch(batch, options), owner: sender };
    },
  },
  onSender(
    "schedule",
    ["scheduling"],
    (sender, trial) => (options) => sender.schedule([message("lamp")], inOneHour(trial), options),
  ),
  {
    name: "cancelScheduled",
    needs: ["scheduling"],
    async prepare(trial) {
      const sender = trial.transport.createSender(await trial.createQueue());
      const numbers = await sender.schedule([message("lamp")], inOneHour(trial));
      return { call: (options) => sender.cancelScheduled(numbers, options), owner: sender };
    },
  },
  onReceiver(
    "receive",
    (receiver) => (options) => receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 1000, ...options }),
  ),
  onReceiver("peek", (receiver) => (options) => receiver.peek({ maxMessages: 1, ...options })),
  {
    name: "receiveDeferred",
    needs: ["deferral"],
    async prepare(trial) {
      const { receiver, delivered } = await withLocked(trial);
      await receiver.defer(handleOf(delivered));
      return {
        call: (options) => receiver.receiveDeferred([delivered.sequenceNumber], options),
        owner: receiver,
      };
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
    async prepare(trial) {
      const queue = await withSession(trial);
      const call = (options: CallOptions) =>
        trial.transport.acceptSession({ queue }, "ada", {
          receiveMode: "peekLock",
          maxWaitTimeInMs: 10_000,
          ...options,
        });
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
type Sender = ReturnType<TransportTrial["transport"]["createSender"]>;
type Receiver = ReturnType<TransportTrial["receiver"]>;
type Session = Awaited<ReturnType<TransportTrial["transport"]["acceptSession"]>>;
type Rules = ReturnType<TransportTrial["transport"]["createRuleManager"]>;

function onSender(
  name: string,
  needs: readonly TransportCapability[],
  bind: (sender: Sender, trial: TransportTrial) => Call,
): Operation {
  return {
    name,
    needs,
    async prepare(trial) {
      const sender = trial.transport.createSender(await trial.createQueue());
      return { call: bind(sender, trial), owner: sender };
    },
  };
}

function onReceiver(name: string, bind: (receiver: Receiver) => Call): Operation {
  return {
    name,
    needs: [],
    async prepare(trial) {
      const queue = await trial.createQueue();
      await trial.send(queue, "lamp");
      const receiver = trial.receiver(queue);
      return { call: bind(receiver), owner: receiver };
    },
  };
}

function onLocked(name: "complete" | "abandon" | "defer" | "deadLetter" | "renewLock"): Operation {
  return {
    name,
    needs: [],
    lock: "message",
    async prepare(trial) {
      const { receiver, delivered } = await withLocked(trial);
      return { call: (options) => receiver[name](handleOf(delivered), options), owner: receiver };
    },
  };
}

function onSession(name: string, bind: (session: Session) => Call): Operation {
  return {
    name,
    needs: ["sessions"],
    lock: "session",
    async prepare(trial) {
      const queue = await withSession(trial);
      const session = await trial.transport.acceptSession({ queue }, "ada", {
        receiveMode: "peekLock",
        maxWaitTimeInMs: 10_000,
      });
      return { call: bind(session), owner: session };
    },
  };
}

function onRules(name: string, bind: (rules: Rules) => Call): Operation {
  return {
    name,
    needs: ["rules"],
    async prepare(trial) {
      const topic = await trial.createTopic(["billing"]);
      const rules = trial.transport.createRuleManager(topic, "billing");
      return { call: bind(rules), owner: rules };
    },
  };
}

async function withLocked(trial: TransportTrial) {
  const queue = await trial.createQueue();
  const receiver = trial.receiver(queue);
  return { receiver, delivered: await trial.sendAndReceive(queue, receiver) };
}

async function withSession(trial: TransportTrial): Promise<string> {
  const queue = await trial.createQueue({ requiresSession: true });
  await trial.send(queue, message("lamp", { sessionId: "ada" }));
  return queue;
}

function inOneHour(trial: TransportTrial): Date {
  return new Date(trial.now().getTime() + 3_600_000);
}
