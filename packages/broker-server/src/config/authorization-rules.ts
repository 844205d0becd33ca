import type { AuthorizationRule, EntityRight } from "@waybill/broker";
import type { ConfigNode } from "./config-node.js";

/** Reads the `AuthorizationRules` of a queue or topic. The broker checks rights and keys. */
export function readAuthorizationRules(node: ConfigNode): AuthorizationRule[] {
  return node.items().map((rule) => ({
    keyName: rule.withKeys("KeyName", "Rights", "PrimaryKey", "SecondaryKey").text("KeyName"),
    rights: rule.list("Rights").map(({ value }) => value as EntityRight),
    primaryKey: rule.text("PrimaryKey"),
    secondaryKey: rule.text("SecondaryKey"),
  }));
}
