import { type Transport, WaybillClient } from "@waybill/core";
import { Arrivals } from "./arrivals.js";
import { Audit, type AuditResult } from "./audit.js";
import { type DeadLetter, drainDeadLetters } from "./dead-letters.js";
import { encodeShipment, isWellBehaved, toMessage } from "./encode-shipment.js";
import { eras, planShipment, type Shipment, shipmentNumber } from "./plan.js";
import { consumerSerializers, producerSerializer } from "./serializers.js";

/** The result of the job. */
export interface JobResult extends AuditResult {
  /** Two messages of the dead-letter queue, dead-lettered for different reasons if there were any. */
  readonly deadLetters: readonly DeadLetter[];
  readonly durationMs: number;
}

/** The queue of the job. */
export const jobQueue = "webhooks";

/** Maximum number of messages in flight, which bounds the memory of a long job. */
const waveSize = 1000;

/** Far longer than a message takes; otherwise the job would wait for a lost message forever. */
const patienceMs = 10_000;

/**
 * Sends the messages of the plan through one queue, reads them with one consumer, and audits what arrived.
 * `onProgress` is called with how many have arrived.
 */
export async function runJob(
  messageCount: number,
  transport: Transport,
  onProgress: (count: number) => void,
): Promise<JobResult> {
  const startedAt = performance.now();
  const audit = new Audit(messageCount, planShipment);
  const arrivals = new Arrivals();
  const arrived = () => {
    arrivals.add();
    onProgress(arrivals.count);
  };
  await using consumer = new WaybillClient(transport, consumerSerializers());
  consumer.createReceiver(jobQueue).subscribe(
    {
      processMessage(message) {
        audit.decoded(message);
        arrived();
      },
      processError({ disposition, error }) {
        if (disposition === "deadLettered") arrived();
        else audit.failed(error);
      },
    },
    { maxConcurrentCalls: 16 },
  );

  const send = createProducers(transport);
  const samples = new Map<string | undefined, DeadLetter>();
  for (let sent = 0, isComplete = true; isComplete && sent < messageCount; ) {
    const end = Math.min(sent + waveSize, messageCount);
    for (; sent < end; sent++) await send(planShipment(sent));
    isComplete = await arrivals.reach(sent, patienceMs);
    for await (const letter of drainDeadLetters(consumer, jobQueue)) {
      audit.deadLettered({ ...letter, body: letter.rawBody }, await sentBody(letter));
      if (!samples.has(letter.deadLetterReason)) samples.set(letter.deadLetterReason, letter);
    }
  }
  return { ...audit.close(), deadLetters: pickTwo(samples), durationMs: performance.now() - startedAt };
}

/** A client per era for correct messages; damaged or mislabelled ones are sent directly to the broker. */
function createProducers(transport: Transport): (shipment: Shipment) => Promise<void> {
  const senders = new Map(
    eras.map((era) => {
      const producer = new WaybillClient(transport, { serializer: producerSerializer(era) });
      return [era, producer.createSender(jobQueue)];
    }),
  );
  const bypass = transport.createSender(jobQueue);
  return async (shipment) => {
    if (!isWellBehaved(shipment)) return await bypass.send([await encodeShipment(shipment)]);
    const sender = senders.get(shipment.era);
    if (sender === undefined) throw new TypeError(`No producer writes ${shipment.era.title}.`);
    await sender.sendMessages(toMessage(shipment));
  };
}

/** One that was decoded and violated its schema, and one that no serializer could decode, if they exist. */
function pickTwo(samples: ReadonlyMap<string | undefined, DeadLetter>): DeadLetter[] {
  const preferred = ["ValidationFailed", "DeserializationFailed"].flatMap(
    (reason) => samples.get(reason) ?? [],
  );
  return [...new Set([...preferred, ...samples.values()])].slice(0, 2);
}

async function sentBody({ messageId }: DeadLetter): Promise<unknown> {
  const number = shipmentNumber(messageId);
  return number === undefined ? undefined : (await encodeShipment(planShipment(number))).body;
}
