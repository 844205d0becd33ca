import { isDeepStrictEqual } from "node:util";
import type { EncodedMessage, Transport } from "@waybill/core";
import { Arrivals } from "../arrivals.js";
import { drainDeadLetters } from "../dead-letters.js";
import { openConsumer, plainBody } from "./consumer.js";
import { orderOf } from "./order.js";
import { type Origin, origins } from "./producers.js";

/** The queue of the second part. */
export const originsQueue = "orders-of-all";

/** In this many messages of each origin, one is truncated and, if messages name a type, one has an unknown type. */
const perOrigin = 20;
const patienceMs = 10_000;

/** How the messages of one origin ended. */
export interface OriginTally {
  readonly origin: Origin;
  sent: number;
  decoded: number;
  /** By the reason. */
  readonly deadLettered: Map<string, number>;
}

/** The result of the second part. */
export interface OriginsResult {
  readonly tallies: readonly OriginTally[];
  readonly findings: readonly string[];
  readonly durationMs: number;
}

type Outcome = "decoded" | "DeserializationFailed" | "UnknownMessageType";

interface Parcel {
  readonly origin: number;
  readonly number: number;
  readonly message: EncodedMessage;
  readonly expected: Outcome;
}

/** Sends orders of every origin through one queue, reads them with one chain, and compares each with what was sent. */
export async function runOrigins(transport: Transport): Promise<OriginsResult> {
  const startedAt = performance.now();
  const parcels = new Map((await pack()).map((parcel) => [String(parcel.message.messageId), parcel]));
  const act = new Act(parcels);
  await using consumer = openConsumer(transport);
  consumer.createReceiver(originsQueue).subscribe(
    {
      processMessage: (message) =>
        act.decoded(message.messageId, message.body, message.deserialization.serializer),
      processError: ({ disposition, error }) => {
        if (disposition === "deadLettered") act.arrivals.add();
        else
          act.findings.push(
            error instanceof Error ? error.message : "A value that is not an error was thrown.",
          );
      },
    },
    { maxConcurrentCalls: 16 },
  );
  const sender = transport.createSender(originsQueue);
  await sender.send([...parcels.values()].map(({ message }) => message));
  await sender.close();
  await act.arrivals.reach(parcels.size, patienceMs);
  for await (const { messageId, rawBody, deadLetterReason } of drainDeadLetters(consumer, originsQueue))
    act.deadLettered(messageId, rawBody, deadLetterReason);
  return { ...act.close(), durationMs: performance.now() - startedAt };
}

/** Alternates between the origins, as on a real queue. */
async function pack(): Promise<Parcel[]> {
  const parcels: Parcel[] = [];
  for (let number = 0; number < perOrigin; number++) {
    for (const [index, origin] of origins.entries()) {
      const isOfAnotherType = origin.isTyped && number === perOrigin - 1;
      const written = await origin.write(orderOf(number), isOfAnotherType);
      const isCut = number === perOrigin - 2 && written.body instanceof Uint8Array;
      const body = isCut ? (written.body as Uint8Array).subarray(0, -1) : written.body;
      parcels.push({
        origin: index,
        number,
        message: { ...written, body, messageId: `${index}-${number}` },
        expected: isCut ? "DeserializationFailed" : isOfAnotherType ? "UnknownMessageType" : "decoded",
      });
    }
  }
  return parcels;
}

/** Compares what arrives with what was sent. */
class Act {
  readonly arrivals = new Arrivals();
  readonly findings: string[] = [];
  readonly #tallies: OriginTally[];
  readonly #pending: Map<string, Parcel>;

  constructor(parcels: ReadonlyMap<string, Parcel>) {
    this.#pending = new Map(parcels);
    this.#tallies = origins.map((origin) => ({ origin, sent: 0, decoded: 0, deadLettered: new Map() }));
    for (const { origin } of parcels.values()) this.#tallyOf(origin).sent++;
  }

  decoded(messageId: unknown, body: unknown, serializer: string | undefined): void {
    this.arrivals.add();
    const parcel = this.#arrived(messageId, "decoded");
    if (parcel === undefined) return;
    const tally = this.#tallyOf(parcel.origin);
    tally.decoded++;
    if (serializer !== tally.origin.readBy)
      this.findings.push(`${tally.origin.title}: read by ${serializer}, not ${tally.origin.readBy}.`);
    if (!isDeepStrictEqual(plainBody(body), orderOf(parcel.number)))
      this.findings.push(`${tally.origin.title}: order ${parcel.number} differs from what was sent.`);
  }

  deadLettered(messageId: unknown, body: unknown, reason = "none"): void {
    const parcel = this.#arrived(messageId, reason);
    if (parcel === undefined) return;
    const { origin, deadLettered } = this.#tallyOf(parcel.origin);
    deadLettered.set(reason, (deadLettered.get(reason) ?? 0) + 1);
    const sent = parcel.message.body;
    if (!(body instanceof Uint8Array && sent instanceof Uint8Array && Buffer.compare(body, sent) === 0))
      this.findings.push(`${origin.title}: a dead letter differs from what was sent.`);
  }

  close(): Pick<OriginsResult, "tallies" | "findings"> {
    if (this.#pending.size > 0) this.findings.push(`${this.#pending.size} messages never arrived.`);
    return { tallies: this.#tallies, findings: this.findings };
  }

  #arrived(messageId: unknown, outcome: string): Parcel | undefined {
    const parcel = this.#pending.get(String(messageId));
    if (parcel === undefined) {
      this.findings.push("A message arrived twice, or was never sent.");
      return undefined;
    }
    this.#pending.delete(String(messageId));
    if (outcome !== parcel.expected)
      this.findings.push(
        `${this.#tallyOf(parcel.origin).origin.title}: order ${parcel.number} ended as ${outcome}, expected was ${parcel.expected}.`,
      );
    return parcel;
  }

  #tallyOf(index: number): OriginTally {
    const tally = this.#tallies[index];
    if (tally === undefined) throw new RangeError(`There is no origin ${index}.`);
    return tally;
  }
}
