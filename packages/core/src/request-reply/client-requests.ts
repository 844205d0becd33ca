import type { ReceivedMessage } from "../message/message.js";
import { createChain } from "../pipeline/chain.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import { FormatNegotiation, readableTypes } from "./accept.js";
import { type RepliableMessage, type ReplyOptions, reply } from "./reply.js";
import { ReplySenders } from "./reply-senders.js";
import { RequestExchange } from "./request-exchange.js";
import type {
  AddressedRequest,
  ReplySourceOptions,
  RequestManyOptions,
  RequestOptions,
  ResolvedRequesterOptions,
} from "./request-options.js";
import type { ReplyEntity, RequestReplyClient } from "./request-reply-client.js";
import type { ReplyIterator, Requester } from "./requester.js";

/** Creates a requester of the client. */
type CreateRequester = (
  entity: ReplyEntity,
  options: { readonly replyToSessionId: string | undefined },
) => Requester;

/** How many idle requesters are kept open for `client.request`; bounded because each request may name another session. */
const maxIdleRequesters = 16;

/** The media types of the client's serializers. */
interface Formats {
  readonly negotiation: FormatNegotiation;
  readonly readableTypes: string;
}

/** The requests and replies of one client, once their code is loaded. */
export class ClientRequests {
  readonly #client: RequestReplyClient;
  readonly #pipeline: Pipeline;
  readonly #createRequester: CreateRequester;
  readonly #senders: ReplySenders;
  #formats: Formats | undefined;
  /** The requesters of `client.request`, by where their replies are received, least recently used first. */
  readonly #requesters = new Map<string, Requester>();

  constructor(client: RequestReplyClient, pipeline: Pipeline, createRequester: CreateRequester) {
    this.#client = client;
    this.#pipeline = pipeline;
    this.#createRequester = createRequester;
    this.#senders = new ReplySenders((queueOrTopic) => client.createSender(queueOrTopic));
  }

  /** Opens the exchange of a requester. */
  open(entity: ReplyEntity, options: ResolvedRequesterOptions): RequestExchange {
    const { readableTypes } = this.#knownFormats();
    return new RequestExchange({
      entity,
      options,
      readableTypes,
      client: this.#client,
      senders: this.#senders,
    });
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
  ): ReplyIterator {
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
    const { replyTo, replyToSessionId } = request;
    const key = JSON.stringify([replyTo, replySubscription, replyToSessionId]);
    const requester =
      this.#requesters.get(key) ??
      this.#createRequester({ queueOrTopic: replyTo, subscription: replySubscription }, { replyToSessionId });
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
