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
  return bytes !== undefined && (bytes.length > 0 || !isWithoutBody(reading))
    ? attempt(reading, select(reading, bytes), bytes)
    : acceptWithoutSerializer(reading, bytes !== undefined);
}

function acceptWithoutSerializer(reading: Reading, isEmpty: boolean): undefined {
  reading.report.isEmpty = isEmpty;
  reading.body = validated(reading, undefined, isEmpty ? undefined : amqpGraph(reading));
}

function attempt(reading: Reading, link: ChainLink | undefined, bytes: Uint8Array): Waiting {
  if (link === undefined) {
    reading.isRefused = true;
    return undefined;
  }
  try {
    const value = deserializeWith(
      link.serializer,
      reading,
      bytes,
      reading.message.contentType,
      mediaTypeOf(reading),
      link === reading.asked,
    );
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
