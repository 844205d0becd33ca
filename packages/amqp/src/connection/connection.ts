import type { Connection, Session } from "../api.js";
import { ByteReader } from "../codec/byte-reader.js";
import { ByteWriter } from "../codec/byte-writer.js";
import { readComposite, readDescriptor } from "../codec/composite.js";
import { AmqpDecodeError } from "../codec/decode-error.js";
import { type AmqpError, toAmqpError, writeAmqpError } from "../frames/amqp-error.js";
import {
  amqpFrame,
  amqpProtocol,
  protocolHeader,
  saslFrame,
  saslProtocol,
  writeFrame,
  writeHeartbeat,
} from "../frames/frame.js";
import { type FrameSink, FrameSplitter } from "../frames/frame-splitter.js";
import { asValue, beginType, closeType, isFrequent, type Open, openType } from "../frames/performatives.js";
import { ConnectionMemory } from "../memory/connection-memory.js";
import { costOfPerformative } from "../memory/memory-budget.js";
import {
  type ConnectionOptions,
  type PeerLimits,
  type ResolvedConnectionOptions,
  resolveConnectionOptions,
} from "./connection-options.js";
import { ConnectionSessions, type SessionsHost } from "./connection-sessions.js";
import { type ConnectionEvent, type ConnectionState, nextConnectionState } from "./connection-state.js";
import { IdleWatch } from "./idle-watch.js";
import { firstProtocol, offeredProtocol, protocolOf } from "./protocol-choice.js";
import { negotiateAsClient, negotiateAsServer, type SaslNegotiation } from "./sasl.js";
import type { SessionEndpoint } from "./session.js";
import type { RestOfRange } from "./unsettled-deliveries.js";

/** Maximum size of performatives that are decoded, except those that carry messages and their states. */
const maxPerformativeSize = 65_536;

/** The smallest maximum of frames that a peer may announce (2.7.1). */
const smallestMaximum = 512;

/**
 * Creates one end of a connection. A client sends first, so `onOutput` is called before this returns. Throws `TypeError` for options out of
 * range.
 */
export function createConnection(options: ConnectionOptions): Connection {
  return new ConnectionEndpoint(resolveConnectionOptions(options));
}

/** The connection: protocol header, SASL, open and close, channels, and the frames of its sessions (2.4). */
class ConnectionEndpoint implements FrameSink, SessionsHost {
  readonly options: ResolvedConnectionOptions;
  remoteOpen: Open | undefined;
  identity: string | undefined;
  linkCount = 0;

  /** The limits that currently apply to the peer. */
  limits: PeerLimits;
  #state: ConnectionState = "start";
  #sasl: SaslNegotiation | undefined;
  readonly #splitter = new FrameSplitter(this);
  readonly #writer = new ByteWriter();
  readonly #idle: IdleWatch;
  readonly #memory: ConnectionMemory;
  #isOutputNotified = false;
  #isCloseNotified = false;
  /** The rest of a disposition of many deliveries, for the next turn. */
  #rest: RestOfRange | undefined;
  /** Bytes received since the last output, without empty frames. */
  #unanswered = 0;
  readonly #sessions = new ConnectionSessions(this);

  constructor(options: ResolvedConnectionOptions) {
    this.options = options;
    this.#idle = new IdleWatch(options);
    this.#memory = new ConnectionMemory(options.budget);
    this.limits = { ...options, ...options.untrusted };
    if (options.role === "client") this.write().append(protocolHeader(firstProtocol(options)));
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

  get maxFrameSize(): number {
    return this.limits.maxFrameSize;
  }

  get mustWait(): boolean {
    return this.#rest !== undefined || this.#isTurnOver();
  }

  get remoteMaxFrameSize(): number {
    return this.remoteOpen?.maxFrameSize ?? 0xffffffff;
  }

  get ignoresInput(): boolean {
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
    this.limits = this.options;
  }

  /** Does work that may take more than a turn; further input waits. */
  work(rest: RestOfRange): void {
    if (!rest(this.#isTurnOver)) this.#rest = rest;
  }

  hold(bytes: number): boolean {
    return this.#memory.hold(bytes);
  }

  holdFrame(bytes: number): boolean {
    const isHeld = this.hold(bytes);
    if (!isHeld) this.failForLimit("there is no memory for a frame that comes in pieces");
    return isHeld;
  }

  free(bytes: number): void {
    this.#memory.free(bytes);
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
    this.#sessions.flush();
    this.#isOutputNotified = false;
    const output = this.#writer.take();
    if (output.length > 0) {
      this.#idle.noteSent();
      this.#unanswered = 0;
    }
    return output;
  }

  acknowledge(): void {
    if (this.#unanswered <= 0 || !this.isOpen || this.#isOutputNotified) return;
    writeHeartbeat(this.write());
  }

  tick(nowMs: number): number | undefined {
    if (this.isEnded) return undefined;
    const verdict = this.#idle.check(nowMs, this.remoteOpen);
    if (verdict.isExpired) {
      this.fail("amqp:resource-limit-exceeded", "the peer was silent for too long");
      return undefined;
    }
    if (verdict.isHeartbeatDue) writeHeartbeat(this.write());
    return verdict.nextMs;
  }

  openSession(): Session {
    if (!this.isOpen) throw new TypeError("the connection is not open");
    const session = this.#sessions.open();
    if (!session) throw new TypeError("the peer takes no more sessions");
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
    const protocol = protocolOf(header, this.#state, this.options);
    if (protocol === "sasl") this.#startSasl();
    else if (protocol === "amqp") this.#startAmqp();
    else this.#refuseProtocol();
  }

  /** 2.2: answers with a supported header, and closes. */
  #refuseProtocol(): void {
    if (this.options.role === "server") {
      this.write().append(protocolHeader(offeredProtocol(this.#state, this.options)));
    }
    this.#end({ condition: "amqp:not-implemented", description: "the peer speaks another protocol" });
  }

  onFrameSizeError(size: number): void {
    if (size < 8 || size > this.options.maxFrameSize) {
      this.fail("amqp:connection:framing-error", `a frame of ${size} bytes is not allowed`);
    } else {
      this.failForLimit(`a frame has at most ${this.maxFrameSize} bytes`);
    }
  }

  /** Closes the connection because the peer exceeds a limit. */
  failForLimit(description: string): void {
    this.fail("amqp:resource-limit-exceeded", description);
  }

  onFrame(buffer: Buffer, start: number, end: number): void {
    const bodyStart = start + (buffer[start + 4] as number) * 4;
    const type = buffer[start + 5];
    if (bodyStart < start + 8 || bodyStart > end) {
      this.fail("amqp:connection:framing-error", "a frame's data offset is wrong");
    } else if (type !== (this.#state === "sasl" ? saslFrame : amqpFrame)) {
      this.fail("amqp:connection:framing-error", `a frame of type ${type} is not allowed here`);
    } else if (this.#state === "sasl") {
      this.#onSaslFrame(new ByteReader(buffer, bodyStart, end));
    } else if (bodyStart === end) {
      this.#unanswered -= end - start;
    } else {
      this.#onAmqpFrame(new ByteReader(buffer, bodyStart, end), buffer.readUInt16BE(start + 6));
    }
  }

  /** Closes the connection because of a protocol error of the peer; its further input is discarded (2.4.6). */
  fail(condition: string, description: string): void {
    if (this.isEnded) return;
    const error = { condition, description };
    // 2.4.1: even a refused connection begins with an open.
    if (this.#state === "header-exchanged") this.#sendOpen();
    if (this.#state === "opened" || this.#state === "open-sent") this.#writeClose(error);
    this.#end(error);
  }

  /** The output to write to; notifies the owner that there is some. */
  write(): ByteWriter {
    if (!this.#isOutputNotified) {
      this.#isOutputNotified = true;
      this.options.handler.onOutput?.();
    }
    return this.#writer;
  }

  /** Marks a session to be flushed before the output is taken. */
  noteWork(session: SessionEndpoint): void {
    this.#sessions.noteWork(session);
    this.write();
  }

  forgetSession(session: SessionEndpoint): void {
    this.#sessions.forget(session);
    this.free(session.cost);
  }

  #startSasl(): void {
    const { role, saslMechanisms, saslCredentials, hostname } = this.options;
    this.#move("sasl-header");
    if (role === "server") this.write().append(protocolHeader(saslProtocol));
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
      if (this.options.role === "client") this.write().append(protocolHeader(amqpProtocol));
    } else if (progress?.kind === "failed") {
      this.#end({ condition: "amqp:unauthorized-access", description: progress.reason });
    }
  }

  #startAmqp(): void {
    this.#move("amqp-header");
    if (this.options.role === "client") this.#sendOpen();
    else this.write().append(protocolHeader(amqpProtocol));
  }

  #sendOpen(): void {
    const { options, remoteMaxFrameSize } = this;
    writeFrame(this.write(), amqpFrame, 0, openType, {
      containerId: options.containerId,
      hostname: options.hostname,
      // It offers no larger frames than a peer that opened first receives: uAMQP, below Microsoft's older SDKs for Python, takes the offer as
      // the size of its frames and then cannot encode one that is larger than its own maximum.
      maxFrameSize: Math.min(options.maxFrameSize, Math.max(remoteMaxFrameSize, smallestMaximum)),
      channelMax: options.channelMax,
      idleTimeOut: options.idleTimeOutMs > 0 ? options.idleTimeOutMs : undefined,
      offeredCapabilities: options.offeredCapabilities,
      properties: options.properties,
    });
    this.#move("open-sent");
  }

  #onAmqpFrame(body: ByteReader, channel: number): void {
    const code = readDescriptor(body);
    if (body.end - body.position > maxPerformativeSize && !isFrequent(code)) {
      this.failForLimit(`a performative has at most ${maxPerformativeSize} bytes`);
    } else if (code === openType.code) this.#onOpen(body);
    else if (this.remoteOpen === undefined) this.fail("amqp:illegal-state", "the first frame is not open");
    else if (code === closeType.code) this.#onClose(toAmqpError(readComposite(body, closeType).error));
    else if (this.#state !== "opened") return;
    else if (channel > this.options.channelMax) {
      this.fail("amqp:connection:framing-error", "a channel is above channel-max");
    } else if (code === beginType.code) this.#sessions.receiveBegin(body, channel);
    else this.#sessions.receive(body, code, channel);
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

  readonly #isTurnOver = (): boolean => this.options.handler.isTurnOver?.() ?? false;

  /** Ends the connection without close, where none may be sent. */
  #end(error: AmqpError): void {
    this.#move("failed");
    this.#finish(error);
  }

  #finish(error: AmqpError | undefined): void {
    if (this.#isCloseNotified) return;
    this.#isCloseNotified = true;
    this.#memory.release();
    this.#rest = undefined;
    this.#sessions.end(error);
    this.options.handler.onClose?.(error);
  }

  #writeClose(error: AmqpError | undefined): void {
    this.#sessions.flush();
    writeFrame(this.write(), amqpFrame, 0, closeType, {
      error: error && asValue((to) => writeAmqpError(to, error)),
    });
  }

  #move(event: ConnectionEvent): void {
    this.#state = nextConnectionState(this.#state, event) ?? this.#state;
  }
}
