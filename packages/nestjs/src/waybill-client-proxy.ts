import { ClientProxy, type ReadPacket, type WritePacket } from "@nestjs/microservices";
import type { Message, MessageType, Sender, WaybillClient } from "@waybill/core";

/** Where a client proxy sends, and where it expects replies. */
export interface WaybillClientProxyOptions {
  /** The queue or topic of requests and events. */
  readonly queueOrTopic: string;
  /** The queue in which the replies to `send` arrive. Default: none, so that `send` fails and only `emit` works. */
  readonly replyTo?: string | undefined;
  /** The session of the replies, if that queue requires sessions. Default: none. */
  readonly replyToSessionId?: string | undefined;
  /** How long `send` waits for the reply, in milliseconds. Default: 60 000. */
  readonly timeoutInMs?: number | undefined;
}

/**
 * Nest's client of a microservice on Service Bus. The pattern is a message type, whose body is checked and gets its version, or the name of a
 * type. `emit` sends a message; `send` also waits for its reply. The client stays open when it is closed.
 */
export class WaybillClientProxy extends ClientProxy {
  readonly #client: WaybillClient<never>;
  readonly #options: WaybillClientProxyOptions;
  #sender: Sender | undefined;

  constructor(client: WaybillClient<never> | WaybillClient<MessageType>, options: WaybillClientProxyOptions) {
    super();
    if (typeof options?.queueOrTopic !== "string")
      throw new TypeError("A WaybillClientProxy needs queueOrTopic, the name of a queue or topic.");
    this.#client = client as WaybillClient<never>;
    this.#options = options;
  }

  /** Nothing to do: the client connects when it first sends. */
  async connect(): Promise<void> {}

  async close(): Promise<void> {
    const sender = this.#sender;
    this.#sender = undefined;
    await sender?.close();
  }

  unwrap<Client = WaybillClient>(): Client {
    return this.#client as unknown as Client;
  }

  protected publish({ pattern, data }: ReadPacket, callback: (packet: WritePacket) => void): () => void {
    const { queueOrTopic, replyTo, replyToSessionId, timeoutInMs } = this.#options;
    const unsubscribed = new AbortController();
    const request = { ...messageOf(pattern, data), replyTo, replyToSessionId };
    this.#client
      .request(queueOrTopic, request as never, { timeoutInMs, abortSignal: unsubscribed.signal })
      .then(
        ({ body }) => callback({ response: body, isDisposed: true }),
        (err: unknown) => callback({ err, isDisposed: true }),
      );
    return () => unsubscribed.abort();
  }

  protected async dispatchEvent<Answer>({ pattern, data }: ReadPacket): Promise<Answer> {
    this.#sender ??= this.#client.createSender(this.#options.queueOrTopic);
    await this.#sender.sendMessages(messageOf(pattern, data));
    return undefined as Answer;
  }
}

function messageOf(pattern: unknown, data: unknown): Message {
  if (typeof pattern === "string") return { subject: pattern, body: data };
  if (typeof (pattern as MessageType | undefined)?.message === "function")
    return (pattern as MessageType).message(data);
  throw new TypeError("The pattern of a message is its message type, or the name of one.");
}
