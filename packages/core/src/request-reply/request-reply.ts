import { WaybillError } from "../errors/error.js";
import type { Message, ReceivedMessage } from "../message/message.js";
import { createChain } from "../pipeline/chain.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { FormatNegotiation, readableTypes } from "./accept.js";
import { type RepliableMessage, type ReplyOptions, reply } from "./reply.js";
import { ReplySenders } from "./reply-senders.js";
import {
  type RequesterOptions,
  type RequestManyOptions,
  type RequestOptions,
  resolveRequesterOptions,
} from "./request-options.js";
import type { ReplyEntity, RequestReplyClient } from "./request-reply-client.js";
import { Requester, requireRequest } from "./requester.js";

/** A request with its own `replyTo`, and with `replyToSessionId` if that entity requires sessions. */
export type AddressedRequest<Body = unknown> = Message<Body> & { readonly replyTo: string };

/** Where the replies to an {@link AddressedRequest} are received. */
export interface ReplySourceOptions {
  /** The subscription from which to receive replies when `replyTo` is a topic. Default: none, `replyTo` is a queue. */
  readonly replySubscription?: string | undefined;
}

/** How many idle requesters are kept open for `client.request`; bounded because each request may name another session. */
const maxIdleRequesters = 16;

/** The media types of the client's serializers. */
interface Formats {
  readonly negotiation: FormatNegotiation;
  readonly readableTypes: string;
}

/** The requests and replies of one client. */
export class RequestReply {
  readonly #client: RequestReplyClient;
  readonly #pipeline: Pipeline;
  readonly #senders: ReplySenders;
  #formats: Formats | undefined;
  /** The requesters of `client.request`, by where their replies are received, least recently used first. */
  readonly #requesters = new Map<string, Requester>();

  constructor(client: RequestReplyClient, pipeline: Pipeline) {
    this.#client = client;
    this.#pipeline = pipeline;
    this.#senders = new ReplySenders((queueOrTopic) => client.createSender(queueOrTopic));
  }

  createRequester(entity: ReplyEntity, given: RequesterOptions = {}): Requester {
    const { readableTypes } = this.#knownFormats();
    const options = resolveRequesterOptions(given, entity.queueOrTopic, readableTypes);
    return this.#client.add(new Requester({ entity, options, client: this.#client, senders: this.#senders }));
  }

  async request(
    queueOrTopic: string,
    request: AddressedRequest,
    options: RequestOptions & ReplySourceOptions,
  ): Promise<ReceivedMessage> {
    return this.#requesterFor(request, options).request(queueOrTopic, request, options);
  }

  requestMany(
    queueOrTopic: string,
    request: AddressedRequest,
    options: RequestManyOptions & ReplySourceOptions,
  ): AsyncIterableIterator<ReceivedMessage, undefined> {
    return this.#requesterFor(request, options).requestMany(queueOrTopic, request, options);
  }

  reply(request: RepliableMessage, body: unknown, options: ReplyOptions): Promise<void> {
    const { negotiation } = this.#knownFormats();
    const { fullyQualifiedNamespace } = this.#client;
    return reply(request, body, options, this.#senders, negotiation, fullyQualifiedNamespace);
  }

  /** Created on first use, because most clients do not use request/reply. */
  #knownFormats(): Formats {
    if (this.#formats === undefined) {
      const chain = createChain(this.#pipeline.serializers);
      this.#formats = { negotiation: new FormatNegotiation(chain), readableTypes: readableTypes(chain) };
    }
    return this.#formats;
  }

  #requesterFor(request: AddressedRequest, { replySubscription }: ReplySourceOptions): Requester {
    requireRequest(request);
    const { messageId, replyTo, replyToSessionId } = request;
    if (replyTo === undefined) {
      throw new WaybillError("operation-invalid", "A request needs replyTo, the queue of its replies.", {
        messageId,
      });
    }
    const key = JSON.stringify([replyTo, replySubscription, replyToSessionId]);
    const requester =
      this.#requesters.get(key) ??
      this.createRequester({ queueOrTopic: replyTo, subscription: replySubscription }, { replyToSessionId });
    this.#requesters.delete(key);
    this.#closeIdle();
    this.#requesters.set(key, requester);
    return requester;
  }

  #closeIdle(): void {
    if (this.#requesters.size < maxIdleRequesters) return;
    for (const [key, requester] of this.#requesters) {
      if (requester.pendingRequestCount > 0) continue;
      this.#requesters.delete(key);
      // If closing fails, its lock expires by itself.
      void requester.close().catch(() => {});
      return;
    }
  }
}
