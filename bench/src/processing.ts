import { createBroker } from "@waybill/broker";
import {
  type Message,
  type MessageHandlers,
  type Sender,
  WaybillClient,
  type WaybillClientOptions,
} from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import type { Figures, Line, Probe, Round, Shortfall, Suite } from "./harness/probe.js";
import { stopwatch } from "./harness/sample.js";
import { order } from "./payloads.js";

/**
 * The cost of processors: sessions over none, the circuit breaker over none, and an open circuit over none. Only receiving is timed, not
 * sending.
 */
export const processingSuite: Suite = {
  // A thousand concurrent receivers always produce more garbage.
  sessions: () => [
    sessions(8, 0.8, {
      mustHold: 0.7,
      reason: "a session of 20 messages is accepted, locked and closed",
    }),
    sessions(1_000, 0.5),
  ],
  breaker: () => breaker(),
  "open-circuit": () => rows.map(behindUnreadable),
};

const body = order(2_000);
const sessionCount = 1_000;
const messagesPerSession = 20;

function sessions(atOnce: number, target: number, shortfall?: Shortfall): Probe {
  const count = sessionCount * messagesPerSession;
  const toMessage = (i: number) => ({ body, sessionId: `s${i % sessionCount}` });
  const name = `2 KB JSON: ${sessionCount} sessions of ${messagesPerSession} messages, ${atOnce} at once, against no sessions`;
  return drains({ name, unit: "rate", target, shortfall }, 15, count, {
    baseline: () =>
      timeDrain(count, toMessage, {}, {}, (client, handlers) =>
        client.createReceiver("orders").subscribe(handlers, { maxConcurrentCalls: atOnce }),
      ),
    subject: () =>
      timeDrain(count, toMessage, { requiresSession: true }, {}, (client, handlers) =>
        client.subscribeSessions("orders", handlers, { maxConcurrentSessions: atOnce }),
      ),
  });
}

function breaker(): Probe {
  const count = 10_000;
  const toMessage = () => ({ body, subject: "order" });
  const drain = (circuitBreaker: false | undefined) => () =>
    timeDrain(count, toMessage, {}, { circuitBreaker }, (client, handlers) =>
      client.createReceiver("orders").subscribe(handlers, { maxConcurrentCalls: 8 }),
    );
  const name = "2 KB JSON: subscribe with the circuit breaker, over without";
  const shortfall = {
    mustHold: 1.03,
    reason: "rounds differ by more than what is left of it",
  };
  return drains({ name, unit: "time", target: 1.02, shortfall }, Number.POSITIVE_INFINITY, count, {
    baseline: drain(false),
    subject: drain(undefined),
  });
}

/**
 * With this many undeserializable messages of one type in a row: how much slower others get while the circuit is open. They are so many that both
 * sides collect all of their garbage several times, instead of one of them once.
 */
const rows = [10, 20, 40, 100, 300, 1_000];

function behindUnreadable(unreadable: number): Probe {
  const count = 20_000;
  const name = `2 KB JSON: the rate of readable messages behind ${unreadable} undeserializable ones in a row, over without`;
  return drains({ name, unit: "rate", target: 0.9 }, 11, count, {
    baseline: () => timeBehind(0, count),
    subject: () => timeBehind(unreadable, count),
  });
}

/** Both sides time themselves, for a number of messages: preparation is not timed. */
function drains(
  line: Line,
  mostRounds: number,
  count: number,
  { baseline, subject }: Readonly<Record<"baseline" | "subject", Round>>,
): Probe {
  const unitsPerCall = { baseline: count, subject: count };
  return {
    warmUps: 1,
    rounds: (asked) => Math.min(asked, mostRounds),
    lines: [{ ...line, unitsPerCall }],
    open: () => ({ sides: { baseline, subject } }),
  };
}

/** From the first to the last readable message, behind a number of undeserializable ones of another type. */
async function timeBehind(unreadable: number, count: number): Promise<Figures> {
  const broker = createBroker();
  await broker.createQueue("orders");
  const circuits: string[] = [];
  const client = new WaybillClient(localTransport(broker), {
    serializer: json(),
    onCircuitBreaker: ({ state }) => void circuits.push(state),
  });
  const sender = client.createSender("orders");
  await sendAll(sender, 30, () => ({ subject: "order", body }));
  const poison = { subject: "order", contentType: "application/json", body: Uint8Array.of(0x7b) };
  if (unreadable > 0) await sender.sendEncodedMessages(new Array<typeof poison>(unreadable).fill(poison));
  await sendAll(sender, count, () => ({ subject: "invoice", body }));
  let handled = 0;
  let elapsed = stopwatch();
  await new Promise<void>((resolve) => {
    client.createReceiver("orders").subscribe(
      {
        processMessage({ subject }) {
          if (subject !== "invoice") return;
          handled++;
          if (handled === 1) elapsed = stopwatch();
          if (handled === count) resolve();
        },
        processError() {},
      },
      { maxConcurrentCalls: 8 },
    );
  });
  const took = elapsed();
  if (unreadable > 0 && circuits[0] !== "open") throw new Error("The circuit did not open.");
  await client.close();
  await broker.close();
  return took;
}

async function sendAll(sender: Sender, count: number, toMessage: (i: number) => Message): Promise<void> {
  for (let sent = 0; sent < count; sent += 200) {
    const length = Math.min(200, count - sent);
    await sender.sendMessages(Array.from({ length }, (_, i) => toMessage(sent + i)));
  }
}

/** From subscribing until the last of the messages is handled. */
async function timeDrain(
  count: number,
  toMessage: (i: number) => Message,
  queue: { readonly requiresSession?: boolean },
  options: Partial<WaybillClientOptions>,
  subscribe: (client: WaybillClient, handlers: MessageHandlers) => unknown,
): Promise<Figures> {
  const broker = createBroker();
  await broker.createQueue("orders", queue);
  const client = new WaybillClient(localTransport(broker), { serializer: json(), ...options });
  await sendAll(client.createSender("orders"), count, toMessage);
  const elapsed = stopwatch();
  let handled = 0;
  await new Promise<void>((resolve, reject) => {
    subscribe(client, {
      processMessage: () => {
        handled++;
        if (handled === count) resolve();
      },
      processError: ({ error }) => reject(error),
    });
  });
  const took = elapsed();
  await client.close();
  await broker.close();
  return took;
}
