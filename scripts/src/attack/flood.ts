import type { Attacker } from "./attacker.js";
import type { KeyName } from "./keys.js";

/** What a flood works with. */
export interface FloodContext {
  /** Connects an attacker, with a key or without one. */
  open(key?: KeyName): Promise<Attacker>;
  /** Connects one that acts, and another when it has acted, until the flood is over. `goesOn` holds while neither it nor the flood is over. */
  again(
    key: KeyName | undefined,
    act: (attacker: Attacker, goesOn: () => boolean) => Promise<void>,
  ): Promise<void>;
  /** Connects one that says nothing by itself, to the port of AMQP or that of TLS. */
  openSilent(port?: "amqp" | "tls"): Attacker;
  /** Makes a TLS handshake and breaks off. */
  shakeHands(): Promise<void>;
  isOver(): boolean;
}

/** One kind of attack, which goes on until it is over. */
export interface Flood {
  readonly name: string;
  /** How many attack at once; default 3. */
  readonly attackers?: number;
  /** What the server has to prepare. */
  readonly prepare?: "deep";
  run(context: FloodContext): Promise<void>;
}
