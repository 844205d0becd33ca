import type { ServerEvent } from "@waybill/broker-server";
import type { BrokerLog } from "./broker-log.js";

/** Refusals that are logged in an interval: anyone who can connect can cause more. */
const maxRefusals = 20;
const intervalMs = 60_000;

/** Logs who connects to a namespace, if the log is verbose, and always who is refused and why. */
export class ConnectionLog {
  readonly #log: BrokerLog;
  readonly #namespace: string;
  readonly #now: () => number;
  #refusals = 0;
  #startedMs: number;

  constructor(log: BrokerLog, namespace: string, now: () => number = () => performance.now()) {
    this.#log = log;
    this.#namespace = namespace;
    this.#now = now;
    this.#startedMs = now();
  }

  /** Logs one event of the server. */
  add({ type, client, entity, detail }: ServerEvent): void {
    const parts = { namespace: this.#namespace, client, entity, detail };
    if (type !== "refused") {
      const name = type === "connected" ? ` as ${detail}` : "";
      this.#log.debug(type, `${type} ${client}${name}`, parts);
    } else if (this.#mayLog()) {
      const where = entity ? `entity ${entity}` : "the namespace";
      this.#log.warn(type, `${client} was refused at ${where}: ${detail}.`, parts);
    }
  }

  #mayLog(): boolean {
    const nowMs = this.#now();
    if (nowMs - this.#startedMs >= intervalMs) {
      this.#startedMs = nowMs;
      this.#refusals = 0;
    }
    this.#refusals++;
    if (this.#refusals === maxRefusals + 1 && !this.#log.isVerbose)
      this.#log.warn(
        "refused",
        `More clients were refused. --verbose logs more than ${maxRefusals} in a minute.`,
        { namespace: this.#namespace },
      );
    return this.#log.isVerbose || this.#refusals <= maxRefusals;
  }
}
