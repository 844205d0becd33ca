import { join } from "node:path";
import { openBroker } from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localTransport } from "@waybill/transport-local";
import { until } from "waybill-harness/waiting.js";
import { Journal } from "../ledger/journal.js";
import type { Effect } from "../ledger/lines.js";
import { count, emptyTally, type Step, sessionIds, stepsOf, type Tally } from "./workflow.js";

// The process that is killed: sends what is missing and works on the sessions. Arguments: directory, file of its journal, the first
// generation whose messages may be missing, this generation, and "last" for the one that may finish. Every second generation is another
// version of the program, which writes another format and reads the other's messages and states.

const [directory = "", journalFile = "", fromText, generationText, isLastText] = process.argv.slice(2);
const generation = Number(generationText);
const journal = Journal.inFile(journalFile);

const broker = await openBroker({ storage: await openDurableStorage(join(directory, "store")) });
if (broker.listEntities().length === 0) {
  await broker.createQueue("steps", {
    requiresSession: true,
    requiresDuplicateDetection: true,
    maxDeliveryCount: 2_000,
  });
}
const [serializer, other] = generation % 2 === 0 ? [json(), msgpack()] : [msgpack(), json()];
const client = new WaybillClient(localTransport(broker), { serializer, additionalDeserializers: [other] });
process.send?.("ready");

const sessions = client.subscribeSessions<Step>(
  "steps",
  {
    async processMessage({ body }, { session }) {
      const tally = (await session.getSessionState<Tally>()) ?? emptyTally;
      if (body.n <= tally.last) return journal.note("again");
      if (body.n !== tally.last + 1) journal.violation(`${session.sessionId}: ${body.n} after ${tally.last}`);
      await session.setSessionState(count(tally, body), { stateType: "Tally" });
    },
    processError: ({ error, errorSource }) => journal.violation(`${errorSource}: ${String(error)}`),
  },
  { maxConcurrentSessions: 4 },
);

const sender = client.createSender("steps");
for (let one = Number(fromText); one <= generation; one++) {
  const results = sessionIds.map((sessionId) => resultOf(sessionId, one));
  await journal.attempt(`generation ${one}`, results, async () => {
    // A batch per session, all or none; what is there already is dropped as a duplicate.
    for (const sessionId of sessionIds) {
      await sender.sendMessages(
        stepsOf(sessionId, one).map((body) => ({ body, sessionId, messageId: `${sessionId}/${body.n}` })),
      );
    }
  });
}

if (isLastText === "last") {
  await until(async () => (await broker.receiver("steps").peek(1)).length === 0);
  await sessions.close();
  const found: Effect[] = [];
  for (const sessionId of sessionIds) {
    const session = await client.acceptSession("steps", sessionId);
    found.push([`session/${sessionId}`, textOf((await session.getSessionState<Tally>()) ?? emptyTally)]);
    await session.close();
  }
  for (const { messageId } of await broker.receiver("steps/$DeadLetterQueue").peek(10))
    found.push([`dead/${messageId}`, "dead-lettered"]);
  journal.found(found);
  await client.close();
  await broker.close();
}

/** What a session's state is to be when all steps up to a generation are counted. */
function resultOf(sessionId: string, last: number): Effect {
  const steps = Array.from({ length: last + 1 }, (_, one) => stepsOf(sessionId, one)).flat();
  return [`session/${sessionId}`, textOf(steps.reduce(count, emptyTally))];
}

/** The order of properties is that of the format. */
function textOf({ last, sum, digest }: Tally): string {
  return JSON.stringify({ last, sum, digest });
}
