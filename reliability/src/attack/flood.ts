import type { Attacker } from "./attacker.js";
import type { KeyName } from "./keys.js";

/** A request over HTTP, with a token for its URL. */
export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly type?: string | undefined;
  readonly key: KeyName;
  readonly body?: Buffer | undefined;
}

/** The context of a flood. */
export interface FloodContext {
  /** Connects an attacker, with a key or without one. */
  open(key?: KeyName): Promise<Attacker>;
  /** Connects one attacker after the other until the flood is over. `goesOn` is true while neither the attacker nor the flood is over. */
  again(
    key: KeyName | undefined,
    act: (attacker: Attacker, goesOn: () => boolean) => Promise<void>,
  ): Promise<void>;
  /** Connects an attacker that sends nothing by itself, to the port of AMQP or that of TLS. */
  openSilent(port?: "amqp" | "tls"): Attacker;
  /** Connects, sends a text, and never ends its side, not even when the server has. */
  openHalf(text: string, port: "amqp" | "tls"): void;
  /** Sends a request over HTTP on a new connection and waits for its answer; returns the status, 0 without an answer. */
  ask(request: HttpRequest): Promise<number>;
  /** Reports what the server should have done. */
  fail(fault: string): void;
  /** Makes a TLS handshake and breaks off. */
  shakeHands(): Promise<void>;
  isOver(): boolean;
}

/** One kind of attack. */
export interface Flood {
  readonly name: string;
  /** How many attack at once; default 3. */
  readonly attackers?: number;
  /** What the server has to prepare. */
  readonly prepare?: "deep";
  run(context: FloodContext): Promise<void>;
}
