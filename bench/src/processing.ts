import { createBroker } from "@waybill/broker";
import { type Message, type MessageHandlers, WaybillClient, type WaybillClientOptions } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { type Result, spread } from "./compare.js";
import { order } from "./payloads.js";

/**
 * What processors cost: sessions over none, the circuit breaker over none, and a circuit that is open over none. Only the draining is timed,
 * not the sending.
 */
export async function processingResults(rounds: number): Promise<Result[]> {
  return [
    await sessionsResult(Math.min(rounds, 15), 8, 0.7),
    // A thousand receivers at once are more garbage to collect, whatever they do.
    await sessionsResult(Math.min(rounds, 15), 1_000, 0.5),
    await breakerResult(rounds),
    ...(await openCircuitResults(Math.min(rounds, 11))),
  ];
}

const sessionCount = 1_000;
const messagesPerSession = 20;

async function sessionsResult(rounds: number, atOnce: number, target: number): Promise<Result> {
  const count = sessionCount * messagesPerSession;
  const body = order(2_000);
  const toMessage = (i: number) => ({ body, sessionId: `s${i % sessionCount}` });
  const baseline = () =>
    timeDrain(count, toMessage, {}, {}, (client, handlers) =>
      client.createReceiver("orders").subscribe(handlers, { maxConcurrentCalls: atOnce }),
    );
  const subject = () =>
    timeDrain(count, toMessage, { requiresSession: true }, {}, (client, handlers) =>
      client.subscribeSessions("orders", handlers, { maxConcurrentSessions: atOnce }),
    );
  const name = `2 KB JSON: ${sessionCount} sessions of ${messagesPerSession} messages, ${atOnce} at once, against no sessions`;
  return compareDrains(name, rounds, count, baseline, subject, { bound: "at-least", target });
}

async function breakerResult(rounds: number): Promise<Result> {
  const count = 2_000;
  const body = order(2_000);
  const drain = (circuitBreaker: false | undefined) => () =>
    timeDrain(
      count,
      () => ({ body, subject: "order" }),
      {},
      { circuitBreaker },
      (client, handlers) => client.createReceiver("orders").subscribe(handlers, { maxConcurrentCalls: 8 }),
    );
  const name = "2 KB JSON: subscribe with the circuit breaker, over without";
  return compareDrains(name, rounds, count, drain(false), drain(undefined), {
    bound: "at-most",
    target: 1.03,
  });
}

/** So many messages of one type in a row cannot be read: what others lose by it while the circuit is open. */
const rows = [10, 20, 40, 100, 300, 1_000];

async function openCircuitResults(rounds: number): Promise<Result[]> {
  const results: Result[] = [];
  const count = 4_000;
  for (const k of rows) {
    const name = `2 KB JSON: the rate of what can be read, behind ${k} in a row that cannot, over without`;
    const drain = (unreadable: number) => () => timeBehind(unreadable, count);
    results.push(
      await compareDrains(name, rounds, count, drain(0), drain(k), { bound: "at-least", target: 0.9 }),
    );
  }
  return results;
}

/** Milliseconds from the first to the last message that can be read, behind so many of another type that cannot. */
async function timeBehind(unreadable: number, count: number): Promise<number> {
  const broker = createBroker();
  await broker.createQueue("orders");
  const circuits: string[] = [];
  const client = new WaybillClient(localTransport(broker), {
    serializer: json(),
    onCircuitBreaker: ({ state }) => void circuits.push(state),
  });
  const sender = client.createSender("orders");
  const body = order(2_000);
  const send = async (subject: string, total: number) => {
    for (let sent = 0; sent < total; sent += 200) {
      const length = Math.min(200, total - sent);
      await sender.sendMessages(Array.from({ length }, () => ({ subject, body })));
    }
  };
  await send("order", 30);
  const poison = { subject: "order", contentType: "application/json", body: Uint8Array.of(0x7b) };
  if (unreadable > 0) await sender.sendEncodedMessages(new Array<typeof poison>(unreadable).fill(poison));
  await send("invoice", count);
  let handled = 0;
  let startedAt = 0;
  await new Promise<void>((resolve) => {
    client.createReceiver("orders").subscribe(
      {
        processMessage({ subject }) {
          if (subject !== "invoice") return;
          handled += 1;
          if (handled === 1) startedAt = performance.now();
          if (handled === count) resolve();
        },
        processError() {},
      },
      { maxConcurrentCalls: 8 },
    );
  });
  const tookMs = performance.now() - startedAt;
  if (unreadable > 0 && circuits[0] !== "open") throw new Error("The circuit did not open.");
  await client.close();
  await broker.close();
  return tookMs;
}

/** Milliseconds from subscribing until the last of the messages is handled. */
async function timeDrain(
  count: number,
  toMessage: (i: number) => Message,
  queue: { readonly requiresSession?: boolean },
  options: Partial<WaybillClientOptions>,
  subscribe: (client: WaybillClient, handlers: MessageHandlers) => unknown,
): Promise<number> {
  const broker = createBroker();
  await broker.createQueue("orders", queue);
  const client = new WaybillClient(localTransport(broker), { serializer: json(), ...options });
  const sender = client.createSender("orders");
  for (let sent = 0; sent < count; sent += 200) {
    await sender.sendMessages(
      Array.from({ length: Math.min(200, count - sent) }, (_, i) => toMessage(sent + i)),
    );
  }
  const startedAt = performance.now();
  let handled = 0;
  await new Promise<void>((resolve, reject) => {
    subscribe(client, {
      processMessage: () => {
        handled += 1;
        if (handled === count) resolve();
      },
      processError: ({ error }) => reject(error),
    });
  });
  const tookMs = performance.now() - startedAt;
  await client.close();
  await broker.close();
  return tookMs;
}

/** As `compare`, for work whose preparation is not to be timed. */
async function compareDrains(
  name: string,
  rounds: number,
  count: number,
  baseline: () => Promise<number>,
  subject: () => Promise<number>,
  goal: Pick<Result, "bound" | "target">,
): Promise<Result> {
  await baseline();
  await subject();
  const ratios: number[] = [];
  const times = { baseline: [] as number[], subject: [] as number[] };
  for (let round = 0; round < rounds; round += 1) {
    const baselineFirst = round % 2 === 0;
    const first = await (baselineFirst ? baseline() : subject());
    const second = await (baselineFirst ? subject() : baseline());
    const [baselineMs, subjectMs] = baselineFirst ? [first, second] : [second, first];
    times.baseline.push(baselineMs);
    times.subject.push(subjectMs);
    ratios.push(goal.bound === "at-least" ? baselineMs / subjectMs : subjectMs / baselineMs);
  }
  const usPerMessage = (figures: readonly number[]) => (spread(figures).median * 1000) / count;
  return {
    suite: "processing",
    name,
    ...spread(ratios),
    ...goal,
    baselineUs: usPerMessage(times.baseline),
    subjectUs: usPerMessage(times.subject),
  };
}
