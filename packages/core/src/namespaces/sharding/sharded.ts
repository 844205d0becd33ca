import type { Transport } from "../../contracts/transport.js";
import { namespaces } from "../namespaces.js";
import { Shard } from "./shard.js";
import { ShardedSender } from "./sharded-sender.js";

/**
 * One transport over several namespaces that have the same entities. A sender to `orders` sends each message to the namespace that {@link shardOf} names for its `sessionId`, else
 * its `partitionKey`: always the same one, so that the messages of a key stay in order. If that is out of reach, the send rejects and nothing is sent elsewhere. Messages without
 * a key go round, and past a namespace that is out of reach. One batch has messages of one namespace; `cancelScheduled` rejects with `not-supported`. A receiver is of one
 * namespace: `east:orders`, as with {@link namespaces}, and so is a sender to that. Throws `TypeError` without a transport.
 */
export function sharded(transports: Readonly<Record<string, Transport>>): Transport {
  const all = namespaces(transports);
  return {
    capabilities: all.capabilities,
    scheduler: all.scheduler,
    createSender(queueOrTopic) {
      if (queueOrTopic.includes(":")) return all.createSender(queueOrTopic);
      const shards = Object.entries(transports).map(
        ([name, transport]) => new Shard(name, transport.createSender(queueOrTopic)),
      );
      return new ShardedSender(queueOrTopic, shards);
    },
    createReceiver: (...args) => all.createReceiver(...args),
    acceptSession: (...args) => all.acceptSession(...args),
    createRuleManager: (...args) => all.createRuleManager(...args),
    listSessions: all.listSessions?.bind(all),
    close: () => all.close(),
    [Symbol.asyncDispose]: () => all.close(),
  };
}
