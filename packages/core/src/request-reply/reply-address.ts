import { WaybillError } from "../errors/error.js";
import type { MessageId } from "../message/message.js";

/** An absolute address, which includes a namespace. */
const absolute = /^([a-z][a-z0-9+.-]*):\/\//i;
/** The schemes of Service Bus addresses. */
const schemes: readonly string[] = ["amqp", "amqps", "sb", "http", "https"];
const loopback: readonly string[] = ["localhost", "127.0.0.1", "::1"];
const outerSlashes = /^\/+|(?<!\/)\/+$/g;

/**
 * The queue or topic of a `replyTo`, which is a path or the absolute address of an entity in `namespace`, the host that this client is
 * connected to. Throws `operation-invalid` for an address in another namespace or without one.
 * Source: Azure's "Messages, payloads, and serialization", ReplyTo.
 */
export function replyEntity(
  replyTo: string,
  namespace: string | undefined,
  messageId: MessageId | undefined,
): string {
  const scheme = absolute.exec(replyTo)?.[1]?.toLowerCase();
  if (scheme === undefined) return replyTo;
  const refuse = (reason: string) =>
    new WaybillError("operation-invalid", `Its replyTo is an absolute address ${reason}.`, { messageId });
  if (!schemes.includes(scheme)) throw refuse(`of the scheme ${scheme.slice(0, 20)}, not of Service Bus`);
  const { host, path } = takeApart(replyTo) ?? {};
  if (host === undefined || path === undefined || path === "") throw refuse("that names no queue or topic");
  if (isOwn(host, namespace)) return path;
  const own = namespace === undefined ? "no namespace that it knows of" : `'${namespace}'`;
  const where = `in the namespace '${host.slice(0, 128)}', and this client sends within ${own}`;
  throw refuse(`${where}; name the queue or topic in the options`);
}

/** Host and path; user names, keys and queries of the address are dropped. */
function takeApart(address: string): { host: string; path: string } | undefined {
  try {
    const { hostname, pathname } = new URL(address);
    const host = hostname.replace(/^\[|\]$/g, "").toLowerCase();
    return { host, path: decodeURIComponent(pathname).replace(outerSlashes, "") };
  } catch {
    return undefined;
  }
}

/** Ignores ports, because they differ by scheme. */
function isOwn(host: string, namespace: string | undefined): boolean {
  const own = namespace?.toLowerCase();
  return (
    host !== "" && (host === own || (loopback.includes(host) && own !== undefined && loopback.includes(own)))
  );
}
