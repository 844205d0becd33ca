import type { Connection, Session } from "../api.js";
import { ByteReader } from "../codec/byte-reader.js";
import { ByteWriter } from "../codec/byte-writer.js";
import { readComposite, readDescriptor } from "../codec/composite.js";
import { AmqpDecodeError } from "../codec/decode-error.js";
import { type AmqpError, toAmqpError, writeAmqpError } from "../frames/amqp-error.js";
import {
  AMQP_FRAME,
  AMQP_PROTOCOL,
  protocolHeader,
  SASL_FRAME,
  SASL_PROTOCOL,
  writeFrame,
  writeHeartbeat,
} from "../frames/frame.js";
import { type FrameSink, FrameSplitter } from "../frames/frame-splitter.js";
import {
  asValue,
  beginType,
  closeType,
  DISPOSITION,
  FLOW,
  type Open,
  openType,
  TRANSFER,
} from "../frames/performatives.js";
import { ChannelTable } from "./channel-table.js";
import {
  type ConnectionOptions,
  type PeerLimits,
  type ResolvedConnectionOptions,
  resolveConnectionOptions,
} from "./connection-options.js";
import { type ConnectionEvent, type ConnectionState, nextConnectionState } from "./connection-state.js";
import { IdleWatch } from "./idle-watch.js";
import { COSTS, costOfPerformative, type MemoryHolder } from "./memory-budget.js";
import { negotiateAsClient, negotiateAsServer, type SaslNegotiation } from "./sasl.js";
import { SessionEndpoint } from "./session.js";
import { SessionFrames } from "./session-frames.js";
import type { RestOfRange } from "./unsettled-deliveries.js";

/** Performatives above this size are refused before they are decoded, but for those that carry messages and their states. */
const MAX_PERFORMATIVE_SIZE = 65_536;

/**
 * Makes one end of a connection. For a client `onOutput` is called before this returns, since a client speaks
 * first. Throws `TypeError` for options out of their range.
 */
export function createConnection(options: ConnectionOptions): Connection {
  return new ConnectionEndpoint(resolveConnectionOptions(options));
}

/** The connection: protocol header, SASL, open and close, channels, and the frames of its sessions (2.4). */
export class ConnectionEndpoint implements Connection, FrameSink, MemoryHolder {
  readonly options: ResolvedConnectionOptions;
  remoteOpen: Open | undefined;
  identity: string | undefined;
  linkCount = 0;

  #limits: PeerLimits;
  #state: ConnectionState = "start";
  #sasl: SaslNegotiation | undefined;
  readonly #splitter = new FrameSplitter(this);
  readonly #writer = new ByteWriter();
  readonly #idle = new IdleWatch();
  #isOutputTold = false;
  #isCloseTold = false;
  #held = 0;
  /** What a disposition of many deliveries left to do when the turn was over. */
  #rest: RestOfRange | undefined;
  /** Bytes received since the last output, without those of empty frames. */
  #unanswered = 0;
  readonly #channels = new ChannelTable();
  readonly #working = new Set<SessionEndpoint>();
  readonly #sessionFrames = new SessionFrames();

  constructor(options: ResolvedConnectionOptions) {
    this.options = options;
    this.#limits = { ...options, ...options.untrusted };
    if (options.role === "client") {
      this.write().append(protocolHeader(options.saslCredentials ? SASL_PROTOCOL : AMQP_PROTOCOL));
    }
  }

  get isOpen(): boolean {
    return this.#state === "opened";
  }

  get isEnded(): boolean {
    return this.#state === "ended" || this.#state === "discarding";
  }

  get outputSize(): number {
    return this.#writer.length;
  }

  get hasUnread(): boolean {
    return !this.isEnded && (this.#rest !== undefined || this.#splitter.isWaiting);
  }

  /** What the peer may do at present. */
  get limits(): PeerLimits {
    return this.#limits;
  }

  get maxFrameSize(): number {
    return this.#limits.maxFrameSize;
  }

  get mustWait(): boolean {
    return this.#rest !== undefined || this.#isTurnOver();
  }

  get remoteMaxFrameSize(): number {
    return this.remoteOpen?.maxFrameSize ?? 0xffffffff;
  }

  get isDeaf(): boolean {
    return this.isEnded;
  }

  get awaitsProtocolHeader(): boolean {
    return this.#state === "start" || this.#state === "sasl-done";
  }

  receive(bytes: Uint8Array): void {
    this.#idle.noteReceived();
    this.#unanswered += bytes.length;
    this.#read(() => this.#splitter.push(bytes));
  }

  proceed(): void {
    this.#read(() => {
      const rest = this.#rest;
      this.#rest = undefined;
      if (rest !== undefined) this.work(rest);
      if (this.#rest === undefined) this.#splitter.proceed();
    });
  }

  trust(): void {
    this.#limits = this.options;
  }

  /** Does work that may take more than a turn; the input behind it waits. */
  work(rest: RestOfRange): void {
    if (!rest(this.#isTurnOver)) this.#rest = rest;
  }

  hold(bytes: number): boolean {
    if (this.#isCloseTold || !this.options.budget.take(bytes)) return false;
    this.#held += bytes;
    return true;
  }

  holdFrame(bytes: number): boolean {
    const isHeld = this.hold(bytes);
    if (!isHeld) this.failForLimit("there is no memory for a frame that comes in pieces");
    return isHeld;
  }

  letGo(bytes: number): void {
    if (this.#isCloseTold) return;
    this.#held -= bytes;
    this.options.budget.give(bytes);
  }

  #read(read: () => void): void {
    try {
      read();
    } catch (error) {
      if (error instanceof AmqpDecodeError) {
        this.fail(error.condition, error.message);
        return;
      }
      this.fail("amqp:internal-error", "the connection's owner failed");
      throw error;
    }
  }

  recycle(message: Uint8Array): void {
    this.#splitter.recycle(message);
  }

  takeOutput(): Uint8Array[] {
    for (const session of this.#working) session.flush();
    this.#working.clear();
    this.#isOutputTold = false;
    const output = this.#writer.take();
    if (output.length > 0) {
      this.#idle.noteSent();
      this.#unanswered = 0;
    }
    return output;
  }

  acknowledge(): void {
    if (this.#unanswered <= 0 || !this.isOpen || this.#isOutputTold) return;
    writeHeartbeat(this.write());
  }

  tick(nowMs: number): number | undefined {
    if (this.isEnded) return undefined;
    const verdict = this.#idle.check(nowMs, {
      isHandshaking: this.remoteOpen === undefined,
      handshakeTimeoutMs: this.options.handshakeTimeoutMs,
      idleTimeOutMs: this.options.idleTimeOutMs,
      remoteIdleTimeOutMs: this.remoteOpen?.idleTimeOut ?? 0,
    });
    if (verdict.isExpired) {
      this.fail("amqp:resource-limit-exceeded", "the peer was silent for too long");
      return undefined;
    }
    if (verdict.isHeartbeatDue) writeHeartbeat(this.write());
    return verdict.nextMs;
  }

  openSession(): Session {
    if (!this.isOpen) throw new TypeError("the connection is not open");
    const session = this.#allocateSession();
    if (!session) throw new TypeError("the peer takes no more sessions");
    session.begin();
    return session;
  }

  close(error?: AmqpError): void {
    if (this.#state !== "opened" && this.#state !== "open-sent") return;
    this.#writeClose(error);
    this.#move("close-sent");
  }

  disconnect(): void {
    if (this.#state === "ended") return;
    this.#move("disconnected");
    this.#finish(undefined);
  }

  onProtocolHeader(header: Buffer): void {
    const protocol = header[4];
    const isKnown = header.equals(protocolHeader(protocol ?? 0));
    if (isKnown && protocol === SASL_PROTOCOL && this.#state === "start" && this.#speaksSasl) {
      this.#startSasl();
    } else if (isKnown && protocol === AMQP_PROTOCOL && (this.#state === "sasl-done" || this.#mayOmitSasl)) {
      this.#startAmqp();
    } else {
      // 2.2: answer with a header we would have taken, and close.
      if (this.options.role === "server") {
        this.write().append(protocolHeader(this.#mayOmitSasl ? AMQP_PROTOCOL : SASL_PROTOCOL));
      }
      this.#end({ condition: "amqp:not-implemented", description: "the peer speaks another protocol" });
    }
  }

  onFrameSizeError(size: number): void {
    if (size < 8 || size > this.options.maxFrameSize) {
      this.fail("amqp:connection:framing-error", `a frame of ${size} bytes is not allowed`);
    } else {
      this.failForLimit(`a frame has at most ${this.maxFrameSize} bytes`);
    }
  }

  /** Closes the connection because its peer wants more than it may have. */
  failForLimit(description: string): void {
    this.fail("amqp:resource-limit-exceeded", description);
  }

  onFrame(buffer: Buffer, start: number, end: number): void {
    const bodyStart = start + (buffer[start + 4] as number) * 4;
    const type = buffer[start + 5];
    if (bodyStart < start + 8 || bodyStart > end) {
      this.fail("amqp:connection:framing-error", "a frame's data offset is wrong");
    } else if (type !== (this.#state === "sasl" ? SASL_FRAME : AMQP_FRAME)) {
      this.fail("amqp:connection:framing-error", `a frame of type ${type} is not allowed here`);
    } else if (this.#state === "sasl") {
      this.#onSaslFrame(new ByteReader(buffer, bodyStart, end));
    } else if (bodyStart === end) {
      this.#unanswered -= end - start;
    } else {
      this.#onAmqpFrame(new ByteReader(buffer, bodyStart, end), buffer.readUInt16BE(start + 6));
    }
  }

  /** Closes the connection for a mistake of the peer; what it sends from now on is thrown away (2.4.6). */
  fail(condition: string, description: string): void {
    if (this.isEnded) return;
    const error = { condition, description };
    // 2.4.1: even a connection that is refused begins with an open.
    if (this.#state === "header-exchanged") this.#sendOpen();
    if (this.#state === "opened" || this.#state === "open-sent") this.#writeClose(error);
    this.#move("failed");
    this.#finish(error);
  }

  /** The output, telling the owner that there is some. */
  write(): ByteWriter {
    if (!this.#isOutputTold) {
      this.#isOutputTold = true;
      this.options.handler.onOutput?.();
    }
    return this.#writer;
  }

  /** Remembers to flush a session before the output is taken. */
  noteWork(session: SessionEndpoint): void {
    this.#working.add(session);
    this.write();
  }

  forgetSession(session: SessionEndpoint): void {
    this.#channels.forget(session);
    this.letGo(session.cost);
  }

  get #speaksSasl(): boolean {
    const { role, saslMechanisms, saslCredentials } = this.options;
    return role === "server" ? saslMechanisms.length > 0 : saslCredentials !== undefined;
  }

  get #mayOmitSasl(): boolean {
    if (this.#state !== "start") return false;
    const { role, withoutSasl } = this.options;
    return !this.#speaksSasl || (role === "server" && withoutSasl === "accept");
  }

  #startSasl(): void {
    const { role, saslMechanisms, saslCredentials, hostname } = this.options;
    this.#move("sasl-header");
    if (role === "server") this.write().append(protocolHeader(SASL_PROTOCOL));
    this.#sasl = saslCredentials
      ? negotiateAsClient(saslCredentials, hostname)
      : negotiateAsServer(saslMechanisms);
    this.#sasl.start(this.write());
  }

  #onSaslFrame(body: ByteReader): void {
    const progress = this.#sasl?.receive(body, this.write());
    if (progress?.kind === "ok") {
      this.identity = progress.identity;
      this.#move("sasl-outcome");
      if (this.options.role === "client") this.write().append(protocolHeader(AMQP_PROTOCOL));
    } else if (progress?.kind === "failed") {
      this.#end({ condition: "amqp:unauthorized-access", description: progress.reason });
    }
  }

  #startAmqp(): void {
    this.#move("amqp-header");
    if (this.options.role === "client") this.#sendOpen();
    else this.write().append(protocolHeader(AMQP_PROTOCOL));
  }

  #sendOpen(): void {
    const {
      containerId,
      hostname,
      maxFrameSize,
      channelMax,
      idleTimeOutMs,
      offeredCapabilities,
      properties,
    } = this.options;
    writeFrame(this.write(), AMQP_FRAME, 0, openType, {
      containerId,
      hostname,
      maxFrameSize,
      channelMax,
      idleTimeOut: idleTimeOutMs > 0 ? idleTimeOutMs : undefined,
      offeredCapabilities,
      properties,
    });
    this.#move("open-sent");
  }

  #onAmqpFrame(body: ByteReader, channel: number): void {
    const code = readDescriptor(body);
    if (body.end - body.position > MAX_PERFORMATIVE_SIZE && !isFrequent(code)) {
      this.failForLimit(`a performative has at most ${MAX_PERFORMATIVE_SIZE} bytes`);
    } else if (code === openType.code) this.#onOpen(body);
    else if (this.remoteOpen === undefined) this.fail("amqp:illegal-state", "the first frame is not open");
    else if (code === closeType.code) this.#onClose(toAmqpError(readComposite(body, closeType).error));
    else if (this.#state !== "opened") return;
    else if (channel > this.options.channelMax) {
      this.fail("amqp:connection:framing-error", "a channel is above channel-max");
    } else if (code === beginType.code) this.#onBegin(body, channel);
    else this.#onSessionFrame(body, code, channel);
  }

  #onOpen(body: ByteReader): void {
    if (this.remoteOpen !== undefined) {
      this.fail("amqp:illegal-state", "open arrived twice");
      return;
    }
    const size = body.end - body.position;
    const open = readComposite(body, openType);
    if (!this.hold(costOfPerformative(size, body.items))) {
      this.failForLimit("there is no memory for another connection");
      return;
    }
    this.remoteOpen = open;
    this.#move("open-received");
    if (this.#state === "open-received") this.#sendOpen();
    if (this.isOpen) this.options.handler.onOpen?.(this);
  }

  #onClose(error: AmqpError | undefined): void {
    if (this.#state === "opened") this.#writeClose(undefined);
    this.#move("close-received");
    this.#finish(error);
  }

  #onBegin(body: ByteReader, channel: number): void {
    const size = body.end - body.position;
    const begin = readComposite(body, beginType);
    if (this.#channels.atRemote(channel)) {
      this.fail("amqp:not-allowed", `channel ${channel} has a session already`);
      return;
    }
    if (begin.remoteChannel !== undefined) {
      const answered = this.#channels.at(begin.remoteChannel);
      if (!answered || answered.remoteBegin) {
        this.fail("amqp:not-allowed", "begin answers a session that was not begun");
        return;
      }
      this.#channels.bind(answered, channel);
      answered.receiveBegin(begin, channel);
      return;
    }
    const session = this.#allocateSession(costOfPerformative(size, body.items));
    if (!session) {
      this.failForLimit("more sessions were begun than there is room for");
      return;
    }
    this.#channels.bind(session, channel);
    session.receiveBegin(begin, channel);
    session.begin();
    this.options.handler.onSession?.(session);
  }

  #onSessionFrame(body: ByteReader, code: number, channel: number): void {
    const session = this.#channels.atRemote(channel);
    if (!session) {
      this.fail("amqp:not-allowed", `channel ${channel} has no session`);
      return;
    }
    if (!this.#sessionFrames.receive(session, code, body)) {
      this.fail("amqp:not-implemented", "a frame carries an unknown performative");
    }
  }

  /** A session on a free channel; `undefined` when there is none, by the peer's channel-max (2.7.1) or our limits. */
  #allocateSession(performativeCost = 0): SessionEndpoint | undefined {
    const channelMax = this.remoteOpen?.channelMax ?? 0xffff;
    const cost = COSTS.session + performativeCost;
    if (this.#channels.size >= this.#limits.maxSessions || !this.hold(cost)) return undefined;
    const session = this.#channels.add(channelMax, (channel) => new SessionEndpoint(this, channel, cost));
    if (session === undefined) this.letGo(cost);
    return session;
  }

  readonly #isTurnOver = (): boolean => this.options.handler.isTurnOver?.() ?? false;

  /** Ends without close, where none may be sent. */
  #end(error: AmqpError): void {
    this.#move("failed");
    this.#finish(error);
  }

  #finish(error: AmqpError | undefined): void {
    if (this.#isCloseTold) return;
    this.#isCloseTold = true;
    this.options.budget.give(this.#held);
    this.#rest = undefined;
    for (const session of this.#channels.clear()) session.endWithConnection(error);
    this.#working.clear();
    this.options.handler.onClose?.(error);
  }

  #writeClose(error: AmqpError | undefined): void {
    for (const session of this.#working) session.flush();
    this.#working.clear();
    writeFrame(this.write(), AMQP_FRAME, 0, closeType, {
      error: error && asValue((to) => writeAmqpError(to, error)),
    });
  }

  #move(event: ConnectionEvent): void {
    this.#state = nextConnectionState(this.#state, event) ?? this.#state;
  }
}

function isFrequent(code: number): boolean {
  return code === TRANSFER || code === DISPOSITION || code === FLOW;
}
