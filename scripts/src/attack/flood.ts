import type { Attacker } from "./attacker.js";
import type { KeyName } from "./keys.js";

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
