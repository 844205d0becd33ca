import type { RuleDefinition } from "../../src/rules/rule.js";
import type { Fixture } from "./command.js";
import type { NaiveOptions } from "./naive-entity.js";

/** An entity to create, in order. */
export type Planned =
  | { readonly kind: "queue"; readonly path: string; readonly options: Partial<NaiveOptions> }
  | { readonly kind: "topic"; readonly path: string; readonly options: Partial<NaiveOptions> }
  | {
      readonly kind: "subscription";
      readonly topic: string;
      readonly name: string;
      readonly options: Partial<NaiveOptions>;
      readonly rules: readonly RuleDefinition[];
    };

/** The subscription whose rules histories change. */
export const ruledTopic = "topic";
export const ruledName = "some";

const everything: RuleDefinition = { name: "$Default", filter: { type: "true" } };

/**
 * The entities of a fixture: a queue, one with sessions, a chain of forwarding queues that ends in a topic, and the topic with
 * subscriptions of every kind.
 */
export function planNet(fixture: Fixture): readonly Planned[] {
  const { plain, sessions, chainLength, topic, subscription, deadLettersGoTo } = fixture;
  const chain = Array.from({ length: chainLength }, (_, index): Planned => {
    const forwardTo = index === 0 ? "topic" : `chain${index}`;
    return { kind: "queue", path: `chain${index + 1}`, options: { ...plain, forwardTo } };
  });
  const subscribe = (
    name: string,
    options: Partial<NaiveOptions>,
    rules: readonly RuleDefinition[],
  ): Planned => ({
    kind: "subscription",
    topic: "topic",
    name,
    options,
    rules,
  });
  // Forwarding dead-lettered messages to the same queue or in a cycle ends after four hops.
  const dead = deadLettersGoTo === undefined ? {} : { forwardDeadLetteredMessagesTo: deadLettersGoTo };
  return [
    { kind: "queue", path: "plain", options: plain },
    { kind: "topic", path: "topic", options: topic },
    { kind: "queue", path: "sessions", options: { ...sessions, requiresSession: true, ...dead } },
    subscribe("all", { ...subscription, ...dead }, [everything]),
    subscribe(ruledName, { ...subscription, ...dead }, [
      { name: "red", filter: { type: "sql", expression: "color = 'red' OR sys.Label = 'red'" } },
      { name: "big", filter: { type: "sql", expression: "size > 1" } },
      {
        name: "mark",
        filter: { type: "correlation", subject: "blue" },
        action: { expression: "SET size = size + 1; SET seen = 'yes'; REMOVE color" },
      },
      { name: "broken", filter: { type: "sql", expression: "6 / size = 2" } },
    ]),
    subscribe("ordered", { ...subscription, requiresSession: true }, [everything]),
    subscribe("onward", { forwardTo: "plain" }, [
      { name: "blue", filter: { type: "correlation", subject: "blue" } },
    ]),
    ...chain,
  ];
}

/** The targets of sends. */
export function targetsOf(fixture: Fixture): readonly string[] {
  const chain = Array.from({ length: fixture.chainLength }, (_, index) => `chain${index + 1}`);
  return ["plain", "sessions", "topic", "plain", "sessions", "topic", ...chain.slice(-2)];
}

/** The sources of receives, including sub-queues. */
export function sourcesOf(): readonly string[] {
  const subscriptions = ["all", "some", "ordered", "onward"].map((name) => `topic/Subscriptions/${name}`);
  const entities = ["plain", "sessions", ...subscriptions];
  return [
    ...entities,
    ...entities.map((path) => `${path}/$DeadLetterQueue`),
    "chain1/$Transfer/$DeadLetterQueue",
  ];
}

/** The properties with which a queue of a fixture is created. */
export function queueOptionsOf(fixture: Fixture, queue: string): Partial<NaiveOptions> {
  const planned = planNet(fixture).find((each) => each.kind === "queue" && each.path === queue);
  return planned?.options ?? {};
}
