import type { ServiceBusAdministrationClient } from "@azure/service-bus";
import type { EntityKind, EntityProperties, NamespaceConfig } from "@waybill/broker-server/config";
import { WaybillError } from "@waybill/core";
import type { WrittenStep } from "../broker-config/write-namespace.js";
import { managementError } from "../errors/management-error.js";
import { type ManagedEntity, pathOf } from "../input/parse-managed-entity.js";
import type { Connection } from "./connection.js";

/** Manages the entities of a namespace. Its methods throw `WaybillError` that names the entity. */
export class EntityManager {
  readonly #client: ServiceBusAdministrationClient;
  readonly #warn: (text: string) => void;

  private constructor(client: ServiceBusAdministrationClient, warn: (text: string) => void) {
    this.#client = client;
    this.#warn = warn;
  }

  static async open(connection: Connection, warn: (text: string) => void): Promise<EntityManager> {
    return new EntityManager(await connection.administration(), warn);
  }

  /** What an entity is. Throws `entity-not-found` if it does not exist. */
  async kindOf(entity: ManagedEntity): Promise<EntityKind> {
    return await named(entity, async () => {
      if ("topic" in entity) {
        const { topic, subscription } = entity;
        if (await this.#client.subscriptionExists(topic, subscription)) return "subscription";
      } else {
        if (await this.#client.queueExists(entity.queueOrTopic)) return "queue";
        if (await this.#client.topicExists(entity.queueOrTopic)) return "topic";
      }
      throw new WaybillError("entity-not-found", "There is no such entity.");
    });
  }

  /** The entity as it would stand in a configuration. */
  async read(entity: ManagedEntity): Promise<object> {
    const kind = await this.kindOf(entity);
    const { readEntity } = await import("../broker-config/read-namespace.js");
    return await named(entity, () => readEntity(this.#client, entity, kind, this.#warn));
  }

  /** Creates the entity of a configuration if it does not exist, and returns what was done. */
  async create(entity: ManagedEntity, config: NamespaceConfig): Promise<WrittenStep | undefined> {
    const { writeNamespace } = await import("../broker-config/write-namespace.js");
    let written: WrittenStep | undefined;
    const onStep = (step: WrittenStep) => {
      written = step;
    };
    await named(entity, () =>
      writeNamespace(this.#client, config, { apply: true, only: pathOf(entity), onStep }),
    );
    return written;
  }

  /** Changes properties of an entity. */
  async change(entity: ManagedEntity, kind: EntityKind, properties: EntityProperties): Promise<void> {
    const { updateEntity } = await import("../broker-config/write-namespace.js");
    await named(entity, () => updateEntity(this.#client, entity, kind, properties));
  }

  /** How many messages an entity holds, those of its sub-queues and, for a topic, of its subscriptions included. */
  async messageCount(entity: ManagedEntity, kind: EntityKind): Promise<number> {
    return await named(entity, async () => {
      if ("topic" in entity) {
        const counts = await this.#client.getSubscriptionRuntimeProperties(entity.topic, entity.subscription);
        return counts.totalMessageCount;
      }
      const { queueOrTopic: name } = entity;
      if (kind === "queue")
        return (await this.#client.getQueueRuntimeProperties(name)).totalMessageCount ?? 0;
      let total = (await this.#client.getTopicRuntimeProperties(name)).scheduledMessageCount;
      for await (const each of this.#client.listSubscriptionsRuntimeProperties(name))
        total += each.totalMessageCount;
      return total;
    });
  }

  /** Deletes an entity with its messages. */
  async delete(entity: ManagedEntity, kind: EntityKind): Promise<void> {
    await named(entity, async () => {
      if ("topic" in entity) await this.#client.deleteSubscription(entity.topic, entity.subscription);
      else if (kind === "queue") await this.#client.deleteQueue(entity.queueOrTopic);
      else await this.#client.deleteTopic(entity.queueOrTopic);
    });
  }
}

/** Adds the name of the entity to an error of the SDK, and its meaning to waybill's codes. */
async function named<Result>(entity: ManagedEntity, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw managementError(error, pathOf(entity));
  }
}
