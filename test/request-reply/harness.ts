import type { EntitySetting, TransportFixture } from "@waybill/conformance";
import {
  type PeekedMessage,
  type ProcessErrorArgs,
  type ReceivedMessage,
  type Requester,
  type Transport,
  WaybillClient,
  type WaybillClientOptions,
} from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";

/** How an environment opens the fixture of one test. */
export type OpenFixture = () => Promise<TransportFixture>;

/** The fixture of one test, with helper functions of the tests. */
export interface Harness extends AsyncDisposable {
  readonly fixture: TransportFixture;
  /** Writes JSON and reads MessagePack too. */
  readonly client: WaybillClient;
  /** Another client on the same broker. */
  createClient(options?: Partial<WaybillClientOptions>, transport?: Transport): WaybillClient;
  createQueue(setting?: Partial<EntitySetting>): Promise<string>;
  createTopic(subscriptions: readonly string[], setting?: Partial<EntitySetting>): Promise<string>;
  /** Subscribes a handler to a queue, or to a subscription written as `topic/subscription`. */
  handle(entity: string, handler: Handler, client?: WaybillClient): Handling;
  /** Sends a request that is answered: afterwards, the requester's link for replies is open, and the next requests are sent at once. */
  openLink(requester: Requester): Promise<void>;
  /** The messages of a queue's dead-letter queue. */
  deadLetters(queue: string): Promise<PeekedMessage[]>;
  /** The messages of an entity without sessions. */
  left(queue: string): Promise<PeekedMessage[]>;
}

export type Handler = (message: ReceivedMessage, client: WaybillClient) => Promise<void> | void;

/** The messages and errors of a handler. */
export interface Handling {
  readonly seen: readonly ReceivedMessage[];
  readonly errors: readonly ProcessErrorArgs[];
}

export async function openHarness(open: OpenFixture): Promise<Harness> {
  const fixture = await open();
  const createClient: Harness["createClient"] = (options, transport = fixture.transport) =>
    new WaybillClient(transport, {
      serializer: json(),
      additionalDeserializers: [msgpack()],
      ...options,
    } as WaybillClientOptions);
  const client = createClient();
  const createQueue: Harness["createQueue"] = (setting) =>
    fixture.createQueue({ ...defaultSetting, ...setting });
  return {
    fixture,
    client,
    createClient,
    createQueue,
    createTopic: (subscriptions, setting) =>
      fixture.createTopic(subscriptions, { ...defaultSetting, ...setting }),
    handle: (entity, handler, handling = client) => handle(handling, entity, handler),
    async openLink(requester) {
      const echoes = await createQueue();
      handle(client, echoes, (request) => client.reply(request, "open"));
      await requester.request(echoes, { body: "open?" }, { timeoutInMs: 60_000 });
    },
    deadLetters: (queue) =>
      client
        .createReceiver(queue, { subQueueType: "deadLetter" })
        .peekMessages(100, { fromSequenceNumber: 0n }),
    left: (queue) => client.createReceiver(queue).peekMessages(100, { fromSequenceNumber: 0n }),
    async [Symbol.asyncDispose]() {
      await client.close();
      await fixture[Symbol.asyncDispose]();
    },
  };
}

/** Waits until a condition holds, and fails if it does not. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 2));
}

const defaultSetting: EntitySetting = { lockDurationMs: 5_000, maxDeliveryCount: 10, requiresSession: false };

function handle(client: WaybillClient, entity: string, handler: Handler): Handling {
  const [queueOrTopic, subscription] = entity.split("/") as [string, string | undefined];
  const receiver =
    subscription === undefined
      ? client.createReceiver(queueOrTopic)
      : client.createReceiver(queueOrTopic, subscription);
  const seen: ReceivedMessage[] = [];
  const errors: ProcessErrorArgs[] = [];
  receiver.subscribe(
    {
      async processMessage(message) {
        seen.push(message);
        await handler(message, client);
      },
      processError: (args) => void errors.push(args),
    },
    { maxConcurrentCalls: 16 },
  );
  return { seen, errors };
}
