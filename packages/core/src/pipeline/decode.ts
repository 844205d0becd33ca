import { amqpGraph, mediaTypeOf } from "./body-sections.js";
import type { ChainLink } from "./chain.js";
import { fail } from "./conclude.js";
import { deserializeWith } from "./deserialize-with.js";
import type { Reading, Waiting } from "./reading.js";
import { isWithoutBody, nextLink, select } from "./select.js";
import { validated } from "./validate.js";

/**
 * The stages `select`, `decode` and `validate`: the serializer that is asked for, or recognises the bytes, reads them, and its value is
 * validated; if that fails, the next one that may read them. AMQP values that are not bytes, and messages without a body, are only validated.
 */
export function decode(reading: Reading): Waiting {
  const { bytes } = reading;
  if (bytes !== undefined && !isWithoutBody(reading, bytes)) {
    return attempt(reading, select(reading, bytes), bytes);
  }
  reading.report.isEmpty = bytes !== undefined;
  reading.body = validated(reading, undefined, bytes === undefined ? amqpGraph(reading) : undefined);
  return undefined;
}

function attempt(reading: Reading, link: ChainLink | undefined, bytes: Uint8Array): Waiting {
  if (link === undefined) {
    reading.isRefused = true;
    return undefined;
  }
  try {
    const { contentType } = reading.message;
    const mediaType = mediaTypeOf(reading);
    const isDeclared = link === reading.asked;
    const value = deserializeWith(link.serializer, reading, bytes, { contentType, mediaType, isDeclared });
    return value instanceof Promise ? acceptLater(reading, link, bytes, value) : accept(reading, link, value);
  } catch (error) {
    return attemptNext(reading, link, bytes, error);
  }
}

/** Not part of `attempt`, which then allocates no variables of closures. */
async function acceptLater(
  reading: Reading,
  link: ChainLink,
  bytes: Uint8Array,
  value: Promise<unknown>,
): Promise<undefined> {
  try {
    return accept(reading, link, await value);
  } catch (error) {
    return attemptNext(reading, link, bytes, error);
  }
}

function accept(reading: Reading, link: ChainLink, value: unknown): undefined {
  reading.body = validated(reading, link, value);
  reading.link = link;
}

function attemptNext(reading: Reading, link: ChainLink, bytes: Uint8Array, error: unknown): Waiting {
  fail(reading, link, error);
  return attempt(reading, nextLink(reading, link, bytes), bytes);
}
