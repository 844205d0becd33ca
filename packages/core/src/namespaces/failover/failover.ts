import { systemScheduler } from "@waybill/foundation";
import type { Transport, TransportRuleManager } from "../../contracts/transport.js";
import { WaybillError } from "../../errors/error.js";
import { ActiveNamespace } from "./active-namespace.js";
import { type FailoverOptions, resolveFailoverOptions } from "./failover-options.js";
import { FailoverReceiver } from "./failover-receiver.js";
import { FailoverSender } from "./failover-sender.js";
import { FailoverSession } from "./failover-session.js";
import { PerNamespace } from "./per-namespace.js";

/** A transport over a pair of namespaces. */
export interface FailoverTransport extends Transport {
  /** The name of the namespace in use. Keep it beside sequence numbers: they are those of one namespace. */
  readonly activeNamespace: string;
}

/**
 * One transport over two namespaces with the same entities, of which one is in use: the first, until `activeNamespace` names the other one or it is unreachable. Then receivers and
 * senders go on there. What was locked in the lost namespace is settled there or not at all: its locks are not renewed any more, so that held messages are let go, and
 * reported with `message-lock-lost` or `session-lock-lost`. No message is copied. It knows no host name, so that a reply to an absolute address is refused. Closing
 * it closes both transports. Throws `TypeError` unless there are two.
 */
export function failover(
  transports: Readonly<Record<string, Transport>>,
  options: FailoverOptions = {},
): FailoverTransport {
  const [first, second, third] = Object.entries(transports).map(([name, transport]) => ({ name, transport }));
  if (first === undefined || second === undefined || third !== undefined)
    throw new TypeError("failover needs two transports by name.");
  const pair = [first, second] as const;
  const scheduler = first.transport.scheduler ?? systemScheduler;
  const active = new ActiveNamespace(pair, resolveFailoverOptions(options), scheduler);
  const close = async () => {
    active.close();
    await Promise.all(pair.map(({ transport }) => transport.close()));
  };
  return {
    get activeNamespace() {
      return active.current.name;
    },
    capabilities: new Set(
      Array.from(first.transport.capabilities).filter((one) => second.transport.capabilities.has(one)),
    ),
    scheduler: first.transport.scheduler,
    createSender: (queueOrTopic) => new FailoverSender(active, queueOrTopic),
    createReceiver: (...args) => new FailoverReceiver(active, ...args),
    acceptSession: (address, sessionId, accept) =>
      active.wait(address, accept.abortSignal, async (namespace, abortSignal) => {
        const session = await namespace.transport.acceptSession(address, sessionId, {
          ...accept,
          abortSignal,
        });
        return new FailoverSession(active, namespace, address, session);
      }),
    createRuleManager: (topic, subscription) => rulesOf(active, topic, subscription),
    listSessions: (address, list) =>
      active.call(address, async ({ transport }) => {
        if (transport.listSessions !== undefined) return await transport.listSessions(address, list);
        throw new WaybillError("not-supported", "Its namespace's transport cannot list sessions.");
      }),
    close,
    [Symbol.asyncDispose]: close,
  };
}

function rulesOf(active: ActiveNamespace, topic: string, subscription: string): TransportRuleManager {
  const managers = new PerNamespace(({ transport }) => transport.createRuleManager(topic, subscription));
  const call = <Answer>(work: (manager: TransportRuleManager) => Promise<Answer>) =>
    active.call({ topic, subscription }, (namespace) => work(managers.in(namespace)));
  return {
    createRule: (rule, options) => call((manager) => manager.createRule(rule, options)),
    deleteRule: (name, options) => call((manager) => manager.deleteRule(name, options)),
    listRules: (options) => call((manager) => manager.listRules(options)),
    close: () => managers.close(),
  };
}
