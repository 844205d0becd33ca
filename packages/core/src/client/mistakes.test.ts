import { createBroker } from "@waybill/broker";
import { createPipeline, defineMessage, WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localTransport } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";

const broker = createBroker();
const transport = localTransport(broker);
const make = (options: unknown) => new WaybillClient(transport, options as never);
const client = make({ serializer: json() });
const receiver = client.createReceiver("orders");
const handlers = { processMessage() {}, processError() {} };

// The error for a program without types, or with outdated types: a sentence that names the argument and the solution.
const mistakes: [what: string, call: () => unknown, sentence: string][] = [
  [
    "a serializer that was not called",
    () => make({ serializer: json }),
    'serializer must be a serializer; got the function "json", which makes one when it is called: json().',
  ],
  [
    "an additional deserializer that was not called",
    () => make({ serializer: json(), additionalDeserializers: [msgpack] }),
    'additionalDeserializers[0] must be a serializer; got the function "msgpack", which makes one when it is called: msgpack().',
  ],
  [
    "the name of a serializer",
    () => make({ serializer: "json" }),
    "serializer must be a serializer, an object with a name, such as json() makes; got a string.",
  ],
  [
    "names of message types",
    () => make({ serializer: json(), messageTypes: ["t"] }),
    'messageTypes[0] must be a message type, as defineMessage makes it; got the name "t".',
  ],
  [
    "a message type that is not in an array",
    () => make({ serializer: json(), messageTypes: defineMessage("t", { version: 1 }) }),
    "messageTypes must be an array of message types, as defineMessage makes them; got an object.",
  ],
  [
    "options instead of a pipeline",
    () => make({ pipeline: { serializer: json() } }),
    "pipeline must be a pipeline, as createPipeline makes it; got an object.",
  ],
  [
    "a misspelt option of the client",
    () => make({ serializer: json(), aditionalDeserializers: [] }),
    'WaybillClient: there is no option "aditionalDeserializers"; did you mean "additionalDeserializers"?',
  ],
  [
    "a misspelt option within an option",
    () => make({ serializer: json(), circuitBreaker: { maxHoldDurationMs: 1 } }),
    'circuitBreaker: there is no option "maxHoldDurationMs"; did you mean "maxHoldDurationInMs"?',
  ],
  [
    "a misspelt policy",
    () => make({ serializer: json(), contentTypePolicies: { mising: "reject" } }),
    'contentTypePolicies: there is no option "mising"; did you mean "missing"?',
  ],
  [
    "a misspelt option of a pipeline",
    () => createPipeline({ serializer: json(), quarantineQueue: "q" } as never),
    'createPipeline: there is no option "quarantineQueue"; it has',
  ],
  [
    "a misspelt option of a serializer",
    () => json({ readUnsafeInteger: "string" } as never),
    'json: there is no option "readUnsafeInteger"; did you mean "readUnsafeIntegers"?',
  ],
  [
    "a misspelt option of a message type",
    () => defineMessage("t", { version: 1, schema: {} } as never),
    'defineMessage("t"): there is no option "schema"; did you mean "schemas"?',
  ],
  [
    "a misspelt option of a receiver",
    () => client.createReceiver("orders", { receivemode: "peekLock" } as never),
    'createReceiver: there is no option "receivemode"; did you mean "receiveMode"?',
  ],
  [
    "an option that only receivers of the SDK have",
    () => client.createReceiver("orders", { skipParsingBodyAsJson: true } as never),
    'createReceiver: there is no option "skipParsingBodyAsJson": the serializers read every body',
  ],
  [
    "a misspelt option of a subscription",
    () => receiver.subscribe(handlers, { maxConcurentCalls: 2 } as never),
    'subscribe: there is no option "maxConcurentCalls"; did you mean "maxConcurrentCalls"?',
  ],
  [
    "a misspelt option of a session processor",
    () => client.subscribeSessions("carts", handlers, { maxConcurrentCalls: 2 } as never),
    'subscribeSessions: there is no option "maxConcurrentCalls"; did you mean "maxConcurrentCallsPerSession"?',
  ],
  [
    "a subscription without handlers",
    () => receiver.subscribe(undefined as never),
    "subscribe needs two functions, processMessage and processError.",
  ],
];

describe("a mistake in a call is refused with a helpful error", () => {
  it.each(mistakes)("%s", (_, call, sentence) => {
    expect(call).toThrow(TypeError);
    expect(call).toThrow(sentence);
  });

  const settlements = [
    "completeMessage",
    "abandonMessage",
    "deferMessage",
    "deadLetterMessage",
    "renewMessageLock",
  ] as const;
  it.each(settlements)("%s without a message", async (method) => {
    await expect(receiver[method](undefined as never)).rejects.toThrow(
      new TypeError('Only a message that "orders" delivered can be settled or renewed; got undefined.'),
    );
    await expect(receiver[method]([] as never)).rejects.toThrow("got an array.");
  });

  it("waiting for messages with a misspelt option", async () => {
    const options = { maxWaitTimeMs: 1 } as never;
    await expect(receiver.receiveMessages(1, options)).rejects.toThrow(
      'receiveMessages: there is no option "maxWaitTimeMs"; did you mean "maxWaitTimeInMs"?',
    );
    await expect(receiver.receiveMessages(options)).rejects.toThrow(
      "maxMessageCount must be a positive integer; got an object.",
    );
  });

  it("a request or a reply without a message", async () => {
    await expect(client.request("orders", undefined as never)).rejects.toThrow(
      "A request must be a message with a body.",
    );
    await expect(client.reply(undefined as never, {})).rejects.toThrow(
      "reply answers a received message; got undefined.",
    );
  });
});
