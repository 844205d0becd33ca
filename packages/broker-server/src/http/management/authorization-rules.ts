import { randomBytes } from "node:crypto";
import type { AuthorizationRule, EntityDescription, EntityRight } from "@waybill/broker";
import { HttpRefusal } from "../http-refusal.js";
import type { XmlElement } from "../parse-xml.js";
import type { XmlNode } from "../xml.js";
import { toTime } from "./entity-fields.js";

const keyBytes = 32;

/** Describes the authorization rules of an entity like the service, with their keys. */
export function toAuthorizationRulesXml(
  rules: readonly AuthorizationRule[],
  { createdAt, updatedAt }: EntityDescription,
): XmlNode[] {
  return rules.map(({ keyName, rights, primaryKey, secondaryKey }) => ({
    name: "AuthorizationRule",
    attributes: { "i:type": "SharedAccessAuthorizationRule" },
    content: [
      { name: "ClaimType", content: "SharedAccessKey" },
      { name: "ClaimValue", content: "None" },
      { name: "Rights", content: rights.map((right) => ({ name: "AccessRights", content: right })) },
      { name: "CreatedTime", content: toTime(createdAt) },
      { name: "ModifiedTime", content: toTime(updatedAt) },
      { name: "KeyName", content: keyName },
      { name: "PrimaryKey", content: primaryKey },
      { name: "SecondaryKey", content: secondaryKey },
    ],
  }));
}

/** The authorization rules in a description; a key that is missing is generated. Throws for a rule without name. */
export function fromAuthorizationRulesXml({ children }: XmlElement): AuthorizationRule[] {
  return children.map((rule) => {
    const text = (name: string): string => rule.child(name)?.text.trim() ?? "";
    if (text("KeyName") === "") throw new HttpRefusal(400, "An AuthorizationRule must have a KeyName.");
    return {
      keyName: text("KeyName"),
      // The broker checks them.
      rights: (rule.child("Rights")?.children ?? []).map((right) => right.text.trim() as EntityRight),
      primaryKey: text("PrimaryKey") || generatedKey(),
      secondaryKey: text("SecondaryKey") || generatedKey(),
    };
  });
}

function generatedKey(): string {
  return randomBytes(keyBytes).toString("base64");
}
