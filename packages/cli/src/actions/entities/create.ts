import { type EntityKind, type NamespaceConfig, propertiesFromTexts } from "@waybill/broker-server/config";
import { stepText } from "../../broker-config/write-namespace.js";
import { EntityManager } from "../../connection/entity-manager.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { UsageError } from "../../errors/usage-error.js";
import { type ManagedEntity, parseManagedEntity } from "../../input/parse-managed-entity.js";
import { printable } from "../../output/printable.js";
import { type CommonOptions, openBrokerContext } from "../action-context.js";

/** The properties of a new entity. */
export interface CreateOptions extends CommonOptions {
  readonly set?: readonly string[];
  readonly sql?: string;
}

/** `waybill entities create`. */
export async function create(kind: EntityKind, path: string, options: CreateOptions): Promise<ExitCode> {
  const warnings: string[] = [];
  const entity = parseManagedEntity(path);
  const config = configOf(kind, entity, options, (text) => warnings.push(text));
  await using context = await openBrokerContext(options);
  const { terminal } = context;
  for (const text of warnings) terminal.note(`warning: ${text}`);
  const manager = await EntityManager.open(context, (text) => terminal.note(`warning: ${text}`));
  const step = await manager.create(entity, config);
  if (step === undefined) throw new TypeError("The configuration of one entity has one step.");
  if (terminal.isJson) terminal.json({ path: step.path, kind, isCreated: step.done === "made" });
  else terminal.line(printable(stepText(step)));
  return exitCodes.ok;
}

/** A namespace that holds only this entity, a subscription below its topic. */
function configOf(
  kind: EntityKind,
  entity: ManagedEntity,
  { set = [], sql }: CreateOptions,
  warn: (text: string) => void,
): NamespaceConfig {
  if ("topic" in entity !== (kind === "subscription"))
    throw new UsageError(
      kind === "subscription"
        ? "Name a subscription with its topic: events/Subscriptions/billing."
        : `A ${kind} has a name without /Subscriptions/.`,
    );
  if (sql !== undefined && kind !== "subscription") throw new UsageError("--sql is for subscriptions only.");
  const properties = propertiesFromTexts(kind, set, warn);
  if ("topic" in entity) {
    const rules =
      sql === undefined ? [] : [{ name: "$Default", filter: { type: "sql", expression: sql } } as const];
    const { topic, subscription } = entity;
    const subscriptions = [{ name: subscription, properties, rules }];
    return { name: "", queues: [], topics: [{ name: topic, properties: {}, subscriptions }] };
  }
  const { queueOrTopic: name } = entity;
  return kind === "queue"
    ? { name: "", queues: [{ name, properties }], topics: [] }
    : { name: "", queues: [], topics: [{ name, properties, subscriptions: [] }] };
}
