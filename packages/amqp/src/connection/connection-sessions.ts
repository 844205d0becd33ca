import type { ByteReader } from "../codec/byte-reader.js";
import { readComposite } from "../codec/composite.js";
import { type AmqpError, toAmqpError } from "../frames/amqp-error.js";
import { DispositionFields, readDisposition } from "../frames/disposition.js";
import { FlowFields, readFlow } from "../frames/flow.js";
import {
  attachType,
  type Begin,
  beginType,
  detachType,
  dispositionCode,
  endType,
  flowCode,
  transferCode,
} from "../frames/performatives.js";
import { readTransfer, TransferFields } from "../frames/transfer.js";
import { costOfPerformative, costs } from "../memory/memory-budget.js";
import { ChannelTable } from "./channel-table.js";
import { SessionEndpoint, type SessionHost } from "./session.js";

/** What the sessions need of their connection. */
export interface SessionsHost extends SessionHost {
  /** Closes the connection because the peer exceeds a limit. */
  failForLimit(description: string): void;
}

/** The sessions of a connection: begins them, dispatches frames to them, and flushes them. */
export class ConnectionSessions {
  readonly #connection: SessionsHost;
  readonly #channels = new ChannelTable();
  readonly #working = new Set<SessionEndpoint>();
  /** Frequent frames are read into reused objects. */
  readonly #transfer = new TransferFields();
  readonly #flow = new FlowFields();
  readonly #disposition = new DispositionFields();

  constructor(connection: SessionsHost) {
    this.#connection = connection;
  }

  /** Begins a session; returns `undefined` if the peer allows no more. */
  open(): SessionEndpoint | undefined {
    const session = this.#allocate(0);
    session?.begin();
    return session;
  }

  /** Handles a begin of the peer: the answer to a local one, or a new session. */
  receiveBegin(body: ByteReader, channel: number): void {
    const size = body.end - body.position;
    const begin = readComposite(body, beginType);
    if (this.#channels.atRemote(channel)) {
      this.#connection.fail("amqp:not-allowed", `channel ${channel} has a session already`);
    } else if (begin.remoteChannel !== undefined) {
      this.#receiveAnswer(begin, begin.remoteChannel, channel);
    } else this.#accept(begin, channel, costOfPerformative(size, body.items));
  }

  /** Reads a frame and passes it to the session on its channel (2.7). */
  receive(body: ByteReader, code: number, channel: number): void {
    const session = this.#channels.atRemote(channel);
    if (!session) {
      this.#connection.fail("amqp:not-allowed", `channel ${channel} has no session`);
      return;
    }
    switch (code) {
      case transferCode:
        readTransfer(body, this.#transfer);
        session.receiveTransfer(this.#transfer, body.buffer.subarray(body.position, body.end));
        return;
      case dispositionCode:
        readDisposition(body, this.#disposition);
        session.receiveDisposition(this.#disposition);
        return;
      case flowCode:
        readFlow(body, this.#flow);
        session.receiveFlow(this.#flow);
        return;
      case attachType.code: {
        const size = body.end - body.position;
        const attach = readComposite(body, attachType);
        session.receiveAttach(attach, costOfPerformative(size, body.items));
        return;
      }
      case detachType.code: {
        const { handle, error, closed } = readComposite(body, detachType);
        session.receiveDetach(handle, toAmqpError(error), closed ?? false);
        return;
      }
      case endType.code:
        session.receiveEnd(toAmqpError(readComposite(body, endType).error));
        return;
      default:
        this.#connection.fail("amqp:not-implemented", "a frame carries an unknown performative");
    }
  }

  /** Marks a session to be flushed before the output is taken. */
  noteWork(session: SessionEndpoint): void {
    this.#working.add(session);
  }

  flush(): void {
    for (const session of this.#working) session.flush();
    this.#working.clear();
  }

  forget(session: SessionEndpoint): void {
    this.#channels.forget(session);
  }

  /** Ends all sessions with their connection. */
  end(error: AmqpError | undefined): void {
    for (const session of this.#channels.clear()) session.endWithConnection(error);
    this.#working.clear();
  }

  #receiveAnswer(begin: Begin, ourChannel: number, channel: number): void {
    const answered = this.#channels.at(ourChannel);
    if (!answered || answered.remoteBegin) {
      this.#connection.fail("amqp:not-allowed", "begin answers a session that was not begun");
      return;
    }
    this.#channels.bind(answered, channel);
    answered.receiveBegin(begin, channel);
  }

  #accept(begin: Begin, channel: number, performativeCost: number): void {
    const session = this.#allocate(performativeCost);
    if (!session) {
      this.#connection.failForLimit("more sessions were begun than there is room for");
      return;
    }
    this.#channels.bind(session, channel);
    session.receiveBegin(begin, channel);
    session.begin();
    this.#connection.options.handler.onSession?.(session);
  }

  /** Creates a session on a free channel; returns `undefined` if there is none, by the peer's channel-max (2.7.1) or the local limits. */
  #allocate(performativeCost: number): SessionEndpoint | undefined {
    const connection = this.#connection;
    const channelMax = connection.remoteOpen?.channelMax ?? 0xffff;
    const cost = costs.session + performativeCost;
    if (this.#channels.size >= connection.limits.maxSessions || !connection.hold(cost)) return undefined;
    const session = this.#channels.add(
      channelMax,
      (channel) => new SessionEndpoint(connection, channel, cost),
    );
    if (session === undefined) connection.free(cost);
    return session;
  }
}
