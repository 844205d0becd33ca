import type { SessionEndpoint } from "./session.js";

/** The sessions of a connection by local and by remote channel, whose numbers may differ (2.5.1). */
export class ChannelTable {
  readonly #byChannel: (SessionEndpoint | undefined)[] = [];
  readonly #byRemoteChannel = new Map<number, SessionEndpoint>();
  size = 0;

  /** Adds a session on the lowest free channel; returns `undefined` if that is above `channelMax`. */
  add(channelMax: number, create: (channel: number) => SessionEndpoint): SessionEndpoint | undefined {
    const free = this.#byChannel.indexOf(undefined);
    const channel = free === -1 ? this.#byChannel.length : free;
    if (channel > channelMax) return undefined;
    const session = create(channel);
    this.#byChannel[channel] = session;
    this.size++;
    return session;
  }

  /** The session on a local channel. */
  at(channel: number): SessionEndpoint | undefined {
    return this.#byChannel[channel];
  }

  /** The session on a remote channel. */
  atRemote(remoteChannel: number): SessionEndpoint | undefined {
    return this.#byRemoteChannel.get(remoteChannel);
  }

  bind(session: SessionEndpoint, remoteChannel: number): void {
    this.#byRemoteChannel.set(remoteChannel, session);
  }

  forget(session: SessionEndpoint): void {
    if (this.#byChannel[session.channel] === session) this.size--;
    this.#byChannel[session.channel] = undefined;
    if (session.remoteChannel !== undefined) this.#byRemoteChannel.delete(session.remoteChannel);
  }

  /** Empties the table and returns its sessions. */
  clear(): SessionEndpoint[] {
    this.#byRemoteChannel.clear();
    this.size = 0;
    return this.#byChannel.splice(0).filter((session) => session !== undefined);
  }
}
