import type { Census, CensusMessageType } from "../census/census.js";
import type { FormatReads } from "../reads/read-record.js";
import type { RetirementTarget } from "./retirement-evidence.js";

/** What of a group of messages, or of a consumer's reads, shows which serializer and versions they need. */
type Needing = Pick<FormatReads, "serializer" | "declared" | "messageType" | "messageVersion" | "upcastPath">;

/** Whether these messages name the target, or need it to be read. */
export function needs(group: Needing, target: RetirementTarget): boolean {
  if ("serializer" in target)
    return group.serializer === target.serializer || group.declared === target.serializer;
  return group.messageType === target.messageType && mentions(group, target.version);
}

function mentions({ messageVersion, upcastPath }: Needing, version: number): boolean {
  return messageVersion === version || upcastPath.slice(0, -1).includes(version);
}

/**
 * Why a census cannot answer for the target, and what to do; undefined for a serializer or version that the chain has. Without this check a
 * misspelt name would be safe to retire, since no message needs it.
 */
export function strangeTarget(target: RetirementTarget, census: Census): string | undefined {
  return "serializer" in target ? strangeSerializer(target, census) : strangeVersion(target, census);
}

function strangeSerializer(
  { serializer }: { readonly serializer: unknown },
  { serializers }: Census,
): string | undefined {
  if (serializers.some((name) => name === serializer)) return undefined;
  return `the chain has no serializer ${quoted(serializer)}, only ${listed(serializers)}; name one of them, or take the census with the chain that consumers have now.`;
}

function strangeVersion(
  { messageType, version }: { readonly messageType: unknown; readonly version: unknown },
  { messageTypes }: Census,
): string | undefined {
  const again = "take the census with the message types that consumers have now";
  if (messageTypes.length === 0)
    return `the chain has no message types, so the census cannot tell versions apart; ${again}.`;
  const type = messageTypes.find(({ name }) => name === messageType);
  if (type === undefined)
    return `the chain has no message type ${quoted(messageType)}${hint(messageType, messageTypes)}; ${again}.`;
  if (type.versions.some((known) => known === version)) return undefined;
  const number = typeof version === "number" ? "" : " The version has to be a number.";
  return `version ${quoted(version)} of "${type.name}" is not in the chain, which has ${type.versions.join(", ")}.${number}`;
}

/** Suggests the type that was probably meant: one with this alias, or with the name in another case. */
function hint(given: unknown, messageTypes: readonly CensusMessageType[]): string {
  const text = String(given).toLowerCase();
  const meant = messageTypes.find(({ name, aliases }) =>
    [name, ...aliases].some((one) => one.toLowerCase() === text),
  );
  return meant === undefined
    ? `, only ${listed(messageTypes.map(({ name }) => name))}`
    : `; name it "${meant.name}", as its definition does`;
}

function quoted(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 128)) : String(value);
}

function listed(names: readonly string[]): string {
  return names.slice(0, 20).map(quoted).join(", ");
}
