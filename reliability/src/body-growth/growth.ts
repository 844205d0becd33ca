import { WaybillError } from "@waybill/core";
import { type DeserializeContext, parseMediaType } from "@waybill/core/serializer";
import type { GrowingBody } from "../growing-bodies/growing-body.js";

/** The sizes that are compared, as multiples of the smallest. */
const multiples = [1, 2, 4, 8] as const;

/** More than the largest size costs if time is linear and the machine is busy, and less than eight, what it costs if time is quadratic. */
const mostGrowth = 3;

/** Fastest of so many rounds; a suspicion is tried again, because another process may have slowed down the large sizes. */
const rounds = 3;
const mostRounds = 12;

/** The measurement of one body. */
export interface Growth {
  /** The time for a byte of the largest body, divided by that of the smallest: 1 if time is linear, 8 if it is quadratic. */
  readonly growth: number;
  readonly msPerMebibyte: number;
  readonly isLinear: boolean;
}

/**
 * Reads a body of `smallest` bytes and of up to eight times as many. What seems to grow faster is measured again with larger bodies, where neither the
 * caches of the processor nor those of the engine change the picture any more; time that is quadratic remains so.
 */
export function measureGrowth(body: GrowingBody, smallest: number): Growth {
  let measured = measureOnce(body, smallest);
  for (
    let size = smallest * 4;
    !measured.isLinear && !isSlow(measured, size) && size <= largestStart;
    size *= 4
  )
    measured = measureOnce(body, size);
  return measured;
}

/** The smallest size of the last repetition. */
const largestStart = 1024 * 1024;

/** Whether the largest of these bodies would take seconds: then there is no doubt. */
function isSlow({ growth, msPerMebibyte }: Growth, smallest: number): boolean {
  return growth * msPerMebibyte * ((smallest * 8) / 1024 / 1024) > 10_000;
}

/** All sizes read the same number of bytes in a round: small bodies are read several times. Of each size the fastest round counts. */
function measureOnce(body: GrowingBody, smallest: number): Growth {
  const { deserialize } = body.serializer();
  const context = contextOf(body);
  const bodies = multiples.map((multiple) => new Uint8Array(body.make(smallest * multiple)));
  const fastest = bodies.map(() => Number.POSITIVE_INFINITY);
  let growth = Number.POSITIVE_INFINITY;
  for (let round = 0; round < mostRounds && (round < rounds || growth > mostGrowth); round++) {
    for (const [index, bytes] of bodies.entries()) {
      const times = (multiples[3] as number) / (multiples[index] as number);
      const startedMs = performance.now();
      for (let time = 0; time < times; time++) read(() => deserialize(bytes, context));
      const ms = (performance.now() - startedMs) / (times * bytes.length);
      fastest[index] = Math.min(fastest[index] as number, ms);
    }
    growth = (fastest[3] as number) / (fastest[0] as number);
  }
  const msPerMebibyte = (fastest[3] as number) * 1024 * 1024;
  return { growth, msPerMebibyte, isLinear: growth <= mostGrowth };
}

/** A value and a refusal both take time; only another error is a fault. */
function read(deserialize: () => unknown): void {
  try {
    deserialize();
  } catch (error) {
    if (!(error instanceof WaybillError)) throw error;
  }
}

/** Without a limit on items, which would hide how the time grows beyond it. */
function contextOf({ contentType }: GrowingBody): DeserializeContext {
  return {
    contentType,
    mediaType: parseMediaType(contentType),
    messageType: undefined,
    applicationProperties: {},
    abortSignal: undefined,
    isDeclared: true,
    maxDepth: 128,
    maxItems: Number.MAX_SAFE_INTEGER,
  };
}
