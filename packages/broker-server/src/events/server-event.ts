/** What happens on the connections of a server, for logs. It contains neither tokens nor keys. */
export interface ServerEvent {
  /**
   * `connected` and `disconnected`: an AMQP client opened and ended its connection. `refused`: a client sent a token or a secret that is not valid,
   * or lacks a right.
   */
  readonly type: "connected" | "disconnected" | "refused";
  /** The address and the port of the client, such as `127.0.0.1:50412`. */
  readonly client: string;
  /** Of `refused`: the path of the entity that the client wanted, `""` for the namespace. */
  readonly entity?: string;
  /** Of `connected`, what the client calls itself; of `refused`, why, which the client is not told. Text of the client's is in quotes and cut. */
  readonly detail?: string;
}

const maxQuoted = 100;

/** A text of a client, for a log. */
export function quoted(text: string): string {
  return text.length > maxQuoted ? `'${text.slice(0, maxQuoted)}…'` : `'${text}'`;
}

/** The address of a socket's client. */
export function clientOf({ remoteAddress = "?", remotePort = 0 }: RemoteSocket): string {
  return `${remoteAddress.includes(":") ? `[${remoteAddress}]` : remoteAddress}:${remotePort}`;
}

interface RemoteSocket {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}
