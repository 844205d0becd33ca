import { AmqpChar } from "../messages/amqp-char.js";
import {
  type AmqpConnection,
  missingMethods,
  type RheaSession,
  type RheaTypes,
  type TypeDescription,
} from "./sdk-internals.js";
import type { SdkPatch } from "./sdk-patch.js";

/** How the types are read whose values rhea changes: ulong, long, and char. */
const exactReads: ReadonlyMap<number, (read: TypeDescription["read"]) => TypeDescription["read"]> = new Map([
  [0x80, integerOrBytes],
  [0x81, integerOrBytes],
  [0x73, character],
]);

/** 2^53 + 1, the first integer that rhea 3.0.5 rounds. */
const firstRounded = Buffer.from([0, 0x20, 0, 0, 0, 0, 0, 1]);

/**
 * Makes rhea return every 64-bit integer beyond `Number.MAX_SAFE_INTEGER` as bytes, and characters as such. Without this patch (3.0.5) it does
 * so only beyond 2^53 + 2^32 and rounds the integers in between, because the last bit of its limit is wrong, and returns code points. Neither can
 * be undone later. The patch is active only while a message of this client is read: other code may rely on numbers.
 */
export const exactValues: SdkPatch = {
  name: "exact-values",
  isFixed: ({ connection: { container } }) => {
    const descriptions = descriptionsOf(container?.types);
    return descriptions.length > 0 && descriptions.every(({ description }) => isExact(description));
  },
  obstacle: ({ connection: { container, _connection: inner } }) =>
    descriptionsOf(container?.types).length < exactReads.size
      ? "the SDK's AMQP library shows no types"
      : missingMethods("AMQP connection", inner, ["create_session"]),
  connection(connection) {
    const { _connection: inner } = connection;
    const reading = readingOf(connection);
    const { create_session: createSession } = inner;
    inner.create_session = function (...options) {
      return readSessionExactly(createSession.apply(this, options), reading);
    };
  },
  requestLink(link) {
    const reading = readingOf(link.connection);
    const { sendRequest } = link;
    // Answers contain encoded messages, which the SDK decodes one after the other.
    link.sendRequest = async function (request, options) {
      const answer = (await sendRequest.call(this, request, options)) as {
        readonly body?: { readonly messages?: unknown };
      };
      const messages = answer.body?.messages;
      if (Array.isArray(messages)) messages[Symbol.iterator] = () => eachExactly(messages, reading);
      return answer;
    };
  },
};

type ExactReading = ReturnType<typeof exactReading>;

/** While it is on, one copy of rhea reads integers exactly. It ends with the message being read. */
function exactReading(types: RheaTypes | undefined) {
  const switched = descriptionsOf(types)
    .filter(({ description }) => !isExact(description))
    .map(({ description, toExact }) => {
      const { read } = description;
      return { description, exact: toExact(read), before: read };
    });
  let isOn = false;
  return {
    begin(): void {
      if (isOn) return;
      isOn = true;
      for (const each of switched) {
        each.before = each.description.read;
        each.description.read = each.exact;
      }
    },
    end(): void {
      if (!isOn) return;
      isOn = false;
      for (const { description, before } of switched) description.read = before;
    },
  };
}

const readings = new WeakMap<RheaTypes, ExactReading>();

function readingOf({ container }: AmqpConnection): ExactReading {
  const types = container?.types;
  const known = types && readings.get(types);
  if (known !== undefined) return known;
  const reading = exactReading(types);
  if (types !== undefined) readings.set(types, reading);
  return reading;
}

function readSessionExactly(session: RheaSession, reading: ExactReading): RheaSession {
  const { create_link, on_transfer } = session;
  session.create_link = function (...options) {
    const link = create_link.apply(this, options);
    const { dispatch } = link;
    // The message is decoded by then; the listeners are not part of this client.
    link.dispatch = function (event, context) {
      if (event === "message") reading.end();
      return dispatch.call(this, event, context);
    };
    return link;
  };
  session.on_transfer = function (frame) {
    reading.begin();
    try {
      on_transfer.call(this, frame);
    } finally {
      reading.end();
    }
  };
  return session;
}

function* eachExactly(items: readonly unknown[], reading: ExactReading): Generator<unknown> {
  for (let index = 0; index < items.length; index++) {
    reading.begin();
    // Ends also if reading fails; no other code runs before a microtask.
    queueMicrotask(() => reading.end());
    try {
      yield items[index];
    } finally {
      reading.end();
    }
  }
}

function descriptionsOf(types: RheaTypes | undefined) {
  return [...exactReads].flatMap(([code, toExact]) => {
    const description = types?.by_code?.[code];
    return description === undefined ? [] : [{ description, toExact }];
  });
}

function isExact({ read }: TypeDescription): boolean {
  return typeof read?.(firstRounded, 0) !== "number";
}

function integerOrBytes(read: TypeDescription["read"]): TypeDescription["read"] {
  return (buffer, offset) => {
    const value = read?.(buffer, offset);
    const isRounded = typeof value === "number" && !Number.isSafeInteger(value);
    return isRounded ? buffer.subarray(offset, offset + 8) : value;
  };
}

function character(read: TypeDescription["read"]): TypeDescription["read"] {
  return (buffer, offset) => {
    const codePoint = read?.(buffer, offset);
    return typeof codePoint === "number" ? new AmqpChar(codePoint) : codePoint;
  };
}
