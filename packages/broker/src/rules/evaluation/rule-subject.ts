import type { RuleValue } from "./rule-value.js";
import type { SystemProperty } from "./system-property.js";

/** The name of an application property, normalised once when the rule is compiled: names are case-insensitive. */
export interface PropertyName {
  readonly text: string;
  readonly folded: string;
}

/** The view of a message that rules read. Rules never see the body. */
export interface RuleSubject {
  /** The value of a system property; null when it is not set. */
  system(property: SystemProperty): RuleValue;
  /** The value of an application property; undefined when the message does not have it. */
  application(name: PropertyName): RuleValue | undefined;
  /** A name in the message's own spelling; the given one if the message does not have it. */
  spelling(name: PropertyName): string;
}

/** A writable view: changes do not affect the subject, and later reads see them. */
export interface RuleDraft extends RuleSubject {
  setSystem(property: SystemProperty, value: RuleValue): void;
  /** Sets an application property, or removes it when the value is undefined. */
  setApplication(name: PropertyName, value: RuleValue | undefined): void;
  readonly changes: RuleChanges;
}

/** A message's properties as plain collections, see {@link ruleSubject}. */
export interface RuleSubjectProperties {
  readonly system?: Readonly<Partial<Record<SystemProperty, RuleValue>>>;
  readonly application?: ReadonlyMap<string, RuleValue> | Readonly<Record<string, RuleValue>>;
}

/**
 * What an action changed: new values of system properties (null clears one) and of application properties (undefined removes one).
 * Application properties keep the message's spelling.
 */
export interface RuleChanges {
  readonly system: ReadonlyMap<SystemProperty, RuleValue>;
  readonly application: ReadonlyMap<string, RuleValue | undefined>;
}

export function propertyName(text: string): PropertyName {
  return { text, folded: text.toLowerCase() };
}

/** Creates the view of a message for rules. If two application properties differ only in case, the exact spelling wins, else the first. */
export function ruleSubject(properties: RuleSubjectProperties): RuleSubject {
  const system = properties.system ?? {};
  const application = toMap(properties.application);
  let spellings: ReadonlyMap<string, string> | undefined;
  const spelling = (name: PropertyName): string => {
    if (application.has(name.text)) return name.text;
    spellings ??= foldNames(application.keys());
    return spellings.get(name.folded) ?? name.text;
  };
  return {
    system: (property) => system[property] ?? null,
    application: (name) => application.get(name.text) ?? application.get(spelling(name)),
    spelling,
  };
}

/** Creates a writable view of a subject. */
export function draftOf(subject: RuleSubject): RuleDraft {
  const system = new Map<SystemProperty, RuleValue>();
  const application = new Map<string, RuleValue | undefined>();
  const spellings = new Map<string, string>();
  const spelling = (name: PropertyName): string => spellings.get(name.folded) ?? subject.spelling(name);
  return {
    system: (property) => {
      const changed = system.get(property);
      return changed === undefined ? subject.system(property) : changed;
    },
    application: (name) => {
      const key = spelling(name);
      return application.has(key) ? application.get(key) : subject.application(name);
    },
    spelling,
    setSystem: (property, value) => {
      system.set(property, value);
    },
    setApplication: (name, value) => {
      const key = spelling(name);
      spellings.set(name.folded, key);
      application.set(key, value);
    },
    changes: { system, application },
  };
}

function toMap(properties: RuleSubjectProperties["application"]): ReadonlyMap<string, RuleValue> {
  if (properties === undefined) return new Map();
  return properties instanceof Map ? properties : new Map(Object.entries(properties));
}

function foldNames(names: Iterable<string>): ReadonlyMap<string, string> {
  const spellings = new Map<string, string>();
  for (const name of names) {
    const folded = name.toLowerCase();
    if (!spellings.has(folded)) spellings.set(folded, name);
  }
  return spellings;
}
