/** A right of an authorization rule; `Manage` includes the other two. */
export type EntityRight = "Manage" | "Send" | "Listen";

/** A shared access policy of a queue or topic: its two keys open this entity only. */
export interface AuthorizationRule {
  /** Unique in the entity; at most 256 characters. */
  readonly keyName: string;
  readonly rights: readonly EntityRight[];
  readonly primaryKey: string;
  readonly secondaryKey: string;
}

/** Maximum number of rules of an entity. Source: "Service Bus quotas". */
const ruleLimit = 12;
const nameLimit = 256;
const keyLimit = 512;
const knownRights: readonly unknown[] = ["Manage", "Send", "Listen"];

/** Whether a value is a list of rules with unique names. */
export function areAuthorizationRules(value: unknown): boolean {
  if (!Array.isArray(value) || value.length > ruleLimit || !value.every(isRule)) return false;
  return new Set(value.map(({ keyName }) => keyName)).size === value.length;
}

/** A copy that nobody can change. */
export function copyRules(rules: readonly AuthorizationRule[]): readonly AuthorizationRule[] {
  return Object.freeze(
    rules.map(({ keyName, rights, primaryKey, secondaryKey }) =>
      Object.freeze({ keyName, rights: Object.freeze([...rights]), primaryKey, secondaryKey }),
    ),
  );
}

function isRule(value: unknown): value is AuthorizationRule {
  if (typeof value !== "object" || value === null) return false;
  const { keyName, rights, primaryKey, secondaryKey } = value as Readonly<Record<string, unknown>>;
  const areTexts =
    isText(keyName, nameLimit) && isText(primaryKey, keyLimit) && isText(secondaryKey, keyLimit);
  return (
    areTexts && Array.isArray(rights) && rights.length > 0 && rights.every((one) => knownRights.includes(one))
  );
}

function isText(value: unknown, limit: number): boolean {
  return typeof value === "string" && value.length > 0 && value.length <= limit;
}
