import type { TransportCapability } from "@waybill/core/transport";
import type { Case } from "../case.js";
import type { TransportSubject } from "./transport-subject.js";
import { handleOf, message, rejectsWith, type TransportTrial, transportCase } from "./transport-trial.js";

type Attempt = readonly [operation: string, call: (trial: TransportTrial) => Promise<unknown>];

const attempts: Readonly<Record<TransportCapability, readonly Attempt[]>> = {
  scheduling: [
    [
      "schedule",
      async (trial) => {
        const sender = trial.transport.createSender(await trial.createQueue());
        return sender.schedule([message("lamp")], new Date(trial.now().getTime() + 3_600_000));
      },
    ],
    [
      "cancelScheduled",
      async (trial) => trial.transport.createSender(await trial.createQueue()).cancelScheduled([1n]),
    ],
  ],
  deferral: [
    [
      "defer",
      async (trial) => {
        const queue = await trial.createQueue();
        const receiver = trial.receiver(queue);
        return receiver.defer(handleOf(await trial.sendAndReceive(queue, receiver)));
      },
    ],
    ["receiveDeferred", async (trial) => trial.receiver(await trial.createQueue()).receiveDeferred([1n])],
  ],
  sessions: [
    [
      "acceptSession",
      async (trial) =>
        trial.transport.acceptSession({ queue: await trial.createQueue() }, "ada", {
          receiveMode: "peekLock",
          maxWaitTimeInMs: 1000,
        }),
    ],
  ],
  // Its operation is absent without it.
  sessionEnumeration: [],
  rules: [
    ["listRules", async (trial) => (await ruleManager(trial)).listRules()],
    [
      "createRule",
      async (trial) =>
        (await ruleManager(trial)).createRule({ name: "all", filter: { sqlExpression: "1 = 1" } }),
    ],
    ["deleteRule", async (trial) => (await ruleManager(trial)).deleteRule("$Default")],
  ],
  transferDeadLetter: [
    ["receive from the transfer dead-letter queue", async (trial) => receiveTransferred(trial)],
  ],
};

/** What a transport cannot do, it says: every operation behind a missing capability rejects with `not-supported`. */
export function missingCapabilityCases(subject: TransportSubject): Case[] {
  const present = new Set(subject.capabilities);
  return Object.entries(attempts)
    .filter(([capability]) => !present.has(capability as TransportCapability))
    .flatMap(([capability, calls]) =>
      calls.map(([operation, call]) =>
        transportCase(subject, `without ${capability}: ${operation} rejects with not-supported`, (trial) =>
          rejectsWith("not-supported", () => call(trial), operation),
        ),
      ),
    );
}

async function ruleManager(trial: TransportTrial) {
  return trial.transport.createRuleManager(await trial.createTopic(["billing"]), "billing");
}

async function receiveTransferred(trial: TransportTrial): Promise<unknown> {
  const queue = await trial.createQueue();
  const receiver = trial.receiver({ queue, subQueue: "transferDeadLetter" });
  return receiver.receive({ maxMessages: 1, maxWaitTimeInMs: 1000 });
}
