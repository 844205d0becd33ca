import type { TransportReceiverEvents } from "../contracts/transport.js";

/**
 * A sender or receiver of a transport that says another path of its entity: among several namespaces, that with the namespace. A proxy, so that
 * it is right for every member that the contract has or gets.
 */
export function withEntityPath<Part extends { readonly entityPath: string }>(
  part: Part,
  entityPath: string,
): Part {
  if (part.entityPath === entityPath) return part;
  return new Proxy(part, {
    get(target, key) {
      if (key === "entityPath") return entityPath;
      const member: unknown = Reflect.get(target, key, target);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}

/** The same for what a receiver reports about its links. */
export function eventsWithEntityPath<Events extends TransportReceiverEvents>(
  events: Events,
  entityPath: string,
): Events {
  const { onLinkStalled } = events;
  if (onLinkStalled === undefined) return events;
  return { ...events, onLinkStalled: (stall) => onLinkStalled({ ...stall, entityPath }) };
}
