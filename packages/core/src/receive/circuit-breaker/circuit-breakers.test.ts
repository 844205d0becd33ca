import { systemScheduler } from "@waybill/foundation";
import { expect, it } from "vitest";
import { createFixture, type Fixture, registryBound } from "../../../test/fixture.js";
import type { Transport, TransportPeekOptions, TransportReceiver } from "../../contracts/transport.js";
import { createPipeline } from "../../pipeline/pipeline.js";
import { plainJson } from "../../plain-json.test-support.js";
import { resolveCircuitBreakerOptions } from "./circuit-breaker-options.js";
import { CircuitBreakers, type CircuitBreakersSettings } from "./circuit-breakers.js";

const orders = { queue: "orders" };
const pipeline = createPipeline({ serializer: plainJson });

function breakersOf({ transport }: Fixture, more: Partial<CircuitBreakersSettings> = {}): CircuitBreakers {
  return new CircuitBreakers({
    transport,
    scheduler: transport.scheduler ?? systemScheduler,
    options: resolveCircuitBreakerOptions(),
    onEvent: () => {},
    ...more,
  });
}

it("all receivers of a client on one entity with one pipeline have the same circuit breaker", async () => {
  await using fixture = await createFixture();
  const breakers = breakersOf(fixture);
  const breaker = breakers.breakerFor(orders, pipeline);
  expect(breaker).toBeDefined();
  expect(breakers.breakerFor({ ...orders }, pipeline)).toBe(breaker);
  expect(breakers.breakerFor({ queue: "quarantine" }, pipeline)).not.toBe(breaker);
  const other = createPipeline({ serializer: registryBound({ isUp: true }) });
  expect(breakers.breakerFor(orders, other)).not.toBe(breaker);
  expect(breakers.lookAheadFor(orders, pipeline)).toBe(breaker?.lookAhead);
});

it("a dead-letter queue has neither circuit breaker nor look-ahead, because nothing is dead-lettered from it", async () => {
  await using fixture = await createFixture();
  const breakers = breakersOf(fixture);
  const dead = { ...orders, subQueue: "deadLetter" } as const;
  expect([breakers.breakerFor(dead, pipeline), breakers.lookAheadFor(dead, pipeline)]).toEqual([
    undefined,
    undefined,
  ]);
});

it("without circuit breakers there still is a look-ahead, for unavailable messages", async () => {
  await using fixture = await createFixture();
  const breakers = breakersOf(fixture, { options: undefined });
  expect(breakers.breakerFor(orders, pipeline)).toBeUndefined();
  expect(await breakers.lookAheadFor(orders, pipeline)?.findReadable(0n)).toMatchObject({ isAtEnd: true });
  await breakers.close();
});

it("all looks at an entity share one receiver, which is closed with the client", async () => {
  await using fixture = await createFixture();
  const open = new Set<TransportReceiver>();
  let created = 0;
  const transport: Transport = {
    ...fixture.transport,
    createReceiver(...given) {
      const receiver = fixture.transport.createReceiver(...given);
      created++;
      open.add(receiver);
      return Object.assign(Object.create(receiver) as TransportReceiver, {
        peek: (options: TransportPeekOptions) => receiver.peek(options),
        close: async () => void open.delete(receiver),
      });
    },
  };
  const breakers = breakersOf(fixture, { transport });
  for (const each of [pipeline, createPipeline({ serializer: plainJson })]) {
    await breakers.lookAheadFor(orders, each)?.findReadable(0n);
    await breakers.lookAheadFor(orders, each)?.findReadable(0n);
  }
  await breakers.lookAheadFor({ queue: "quarantine" }, pipeline)?.findReadable(0n);
  expect([created, open.size]).toEqual([2, 2]);
  await breakers.close();
  expect(open.size).toBe(0);
});
