import type { TransportCapability } from "@waybill/core/transport";
import type { Case } from "../../case.js";
import { rejectsWith } from "../../outcome.js";
import { handleOf, message, type TransportHarness, transportCase } from "../harness/transport-harness.js";
import type { TransportSubject } from "../harness/transport-subject.js";

/** How long a transport may wait that does not reject as it should. */
const maxWaitTimeInMs = 1000;

type Attempt = (harness: TransportHarness) => Promise<unknown>;

/** By capability and operation. */
const attempts: Readonly<Record<TransportCapability, Readonly<Record<string, Attempt>>>> = {
  scheduling: {
    async schedule(harness) {
      const sender = harness.transport.createSender(await harness.createQueue());
      return sender.schedule([message("lamp")], new Date(harness.now().getTime() + 3_600_000));
    },
    cancelScheduled: async (harness) =>
      harness.transport.createSender(await harness.createQueue()).cancelScheduled([1n]),
  },
  deferral: {
    async defer(harness) {
      const { queue, receiver } = await harness.queueWithReceiver();
      return receiver.defer(handleOf(await harness.sendAndReceive(queue, receiver)));
    },
    receiveDeferred: async (harness) => harness.receiver(await harness.createQueue()).receiveDeferred([1n]),
  },
  sessions: {
    acceptSession: async (harness) =>
      harness.acceptSession(await harness.createQueue(), "ada", { maxWaitTimeInMs }),
  },
  // Without this capability the operation is absent.
  sessionEnumeration: {},
  rules: {
    listRules: async (harness) => (await ruleManager(harness)).listRules(),
    createRule: async (harness) =>
      (await ruleManager(harness)).createRule({ name: "all", filter: { sqlExpression: "1 = 1" } }),
    deleteRule: async (harness) => (await ruleManager(harness)).deleteRule("$Default"),
  },
  transferDeadLetter: {
    async "receive from the transfer dead-letter queue"(harness) {
      const queue = await harness.createQueue();
      const receiver = harness.receiver({ queue, subQueue: "transferDeadLetter" });
      return receiver.receive({ maxMessages: 1, maxWaitTimeInMs });
    },
  },
};

/** Every operation of a missing capability rejects with `not-supported`. */
export function missingCapabilityCases(subject: TransportSubject): Case[] {
  const present = new Set(subject.capabilities);
  return Object.entries(attempts)
    .filter(([capability]) => !present.has(capability as TransportCapability))
    .flatMap(([capability, calls]) => {
      const testCase = transportCase(subject, `without ${capability}`);
      return Object.entries(calls).map(([operation, call]) =>
        testCase(`${operation} rejects with not-supported`, (harness) =>
          rejectsWith("not-supported", () => harness.refused(call(harness), maxWaitTimeInMs), operation),
        ),
      );
    });
}

async function ruleManager(harness: TransportHarness) {
  return harness.transport.createRuleManager(await harness.createTopic(["billing"]), "billing");
}
