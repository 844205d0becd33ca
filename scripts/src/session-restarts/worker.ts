import { closeSync, openSync, writeSync } from "node:fs";
import { openBroker } from "@waybill/broker";
import { openDurableStorage } from "@waybill/broker-storage-lmdb";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localTransport } from "@waybill/transport-local";
import { count, emptyTally, type Step, sessionIds, stepsOf, type Tally } from "./workflow.js";

// The process that is killed: sends what is missing and works on the sessions. Arguments: directory, ledger file, the first generation
// whose messages may be missing, this generation, and "last" for the one that may finish. Every second generation is another
// version of the program, which writes another format and reads the other's messages and states.

const [directory, ledgerFile, fromText, generationText, isLastText] = process.argv.slice(2) as string[];
const generation = Number(generationText);
const descriptor = openSync(ledgerFile!, "a");
const write = (line: string) => writeSync(descriptor, `${line}\n`);

const broker = await openBroker({ storage: await openDurableStorage(directory!) });
if (broker.listEntities().length === 0) {
  await broker.createQueue("steps", {
    requiresSession: true,
    requiresDuplicateDetection: true,
    maxDeliveryCount: 2_000,
  });
}
const [serializer, other] = generation % 2 === 0 ? [json(), msgpack()] : [msgpack(), json()];
const client = new WaybillClient(localTransport(broker), { serializer, additionalDeserializers: [other] });
process.stdout.write("ready\n");

const sessions = client.subscribeSessions<Step>(
  "steps",
  {
    async processMessage({ body, deliveryCount }, { session }) {
      const tally = (await session.getSessionState<Tally>()) ?? emptyTally;
      if (body.n <= tally.last) return void write(`again ${deliveryCount}`);
      if (body.n !== tally.last + 1) write(`violation ${session.sessionId}: ${body.n} after ${tally.last}`);
      await session.setSessionState(count(tally, body), { stateType: "Tally" });
    },
    processError: ({ error, errorSource }) => void write(`violation ${errorSource}: ${String(error)}`),
  },
  { maxConcurrentSessions: 4 },
);

const sender = client.createSender("steps");
for (let one = Number(fromText); one <= generation; one += 1) {
  // A batch per session, all or none; what is there already is dropped as a duplicate.
  for (const sessionId of sessionIds) {
    await sender.sendMessages(
      stepsOf(sessionId, one).map((body) => ({ body, sessionId, messageId: `${sessionId}/${body.n}` })),
    );
  }
  write(`sent ${one}`);
}

if (isLastText === "last") {
  while ((await broker.receiver("steps").peek(1)).length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  await sessions.close();
  for (const sessionId of sessionIds) {
    const session = await client.acceptSession("steps", sessionId);
    write(`result ${sessionId} ${JSON.stringify(await session.getSessionState<Tally>())}`);
    await session.close();
  }
  const dead = await broker.receiver("steps/$DeadLetterQueue").peek(10);
  if (dead.length > 0) write(`violation ${dead.length} messages were dead-lettered`);
  await client.close();
  await broker.close();
  closeSync(descriptor);
}
