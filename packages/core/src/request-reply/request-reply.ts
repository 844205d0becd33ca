import { afterwards, isPromise } from "@waybill/foundation";
import { loadedLater } from "../contracts/loaded-later.js";
import type { Awaitable } from "../contracts/serializer.js";
import { WaybillError } from "../errors/error.js";
import type { ReceivedMessage } from "../message/message.js";
import type { Pipeline } from "../pipeline/pipeline.js";
import type { ClientRequests } from "./client-requests.js";
import { iterateLater } from "./iterate-later.js";
import type { RepliableMessage, ReplyOptions } from "./reply.js";
import {
  type AddressedRequest,
  type ReplySourceOptions,
  type RequesterOptions,
  type RequestManyOptions,
  type RequestOptions,
  resolveRequesterOptions,
} from "./request-options.js";
import type { ReplyEntity, RequestReplyClient } from "./request-reply-client.js";
import { type ReplyIterator, Requester, requireRequest } from "./requester.js";

export const clientRequests = loadedLater("requests and replies", () => import("./client-requests.js"));

/** The requests and replies of one client. Their code is loaded with the first of them. */
export class RequestReply {
  readonly #client: RequestReplyClient;
  readonly #pipeline: Pipeline;
  #requests: ClientRequests | undefined;

  constructor(client: RequestReplyClient, pipeline: Pipeline) {
    this.#client = client;
    this.#pipeline = pipeline;
  }

  createRequester(entity: ReplyEntity, given: RequesterOptions = {}): Requester {
    const options = resolveRequesterOptions(given, entity.queueOrTopic);
    return this.#client.add(
      new Requester({
        options,
        open: () => afterwards(this.#loaded(), (requests) => requests.open(entity, options)),
        onClosed: (requester) => this.#client.forget(requester),
      }),
    );
  }

  request(
    queueOrTopic: string,
    request: AddressedRequest,
    options: RequestOptions & ReplySourceOptions,
  ): Awaitable<ReceivedMessage> {
    requireAddressed(request);
    return afterwards(this.#loaded(), (requests) => requests.request(queueOrTopic, request, options));
  }

  requestMany(
    queueOrTopic: string,
    request: AddressedRequest,
    options: RequestManyOptions & ReplySourceOptions,
  ): ReplyIterator {
    requireAddressed(request);
    const loaded = this.#loaded();
    return isPromise(loaded)
      ? iterateLater(loaded.then((requests) => requests.requestMany(queueOrTopic, request, options)))
      : loaded.requestMany(queueOrTopic, request, options);
  }

  reply(request: RepliableMessage, body: unknown, options: ReplyOptions): Awaitable<void> {
    return afterwards(this.#loaded(), (requests) => requests.reply(request, body, options));
  }

  #loaded(): Awaitable<ClientRequests> {
    if (this.#requests !== undefined) return this.#requests;
    return afterwards(clientRequests(), ({ ClientRequests }) => {
      // It may have been closed while the code was loaded.
      this.#client.requireOpen();
      this.#requests ??= new ClientRequests(this.#client, this.#pipeline, (entity, options) =>
        this.createRequester(entity, options),
      );
      return this.#requests;
    });
  }
}

/** Throws `TypeError` for what is no message, `operation-invalid` for a request that does not say where its replies go. */
function requireAddressed(request: AddressedRequest): void {
  requireRequest(request);
  if (request.replyTo !== undefined) return;
  const { messageId } = request;
  throw new WaybillError("operation-invalid", "A request needs replyTo, the queue of its replies.", {
    messageId,
  });
}
