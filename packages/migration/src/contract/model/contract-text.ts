import { WaybillError } from "@waybill/core";
import type { Contract } from "./contract.js";

/** The text of a contract file: the same for the same contract, one member a line. */
export function formatContract(contract: Contract): string {
  return `${JSON.stringify(contract, undefined, 2)}\n`;
}

/** Reads the text of a contract file; `name` stands in errors. Throws `configuration-invalid` if it is not one. */
export function parseContract(text: string, name: string): Contract {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw invalid(name, `it is not JSON: ${(error as Error).message}`);
  }
  const problem = problemOf(parsed);
  if (problem !== undefined) throw invalid(name, problem);
  return parsed as Contract;
}

/** Reads the text of a schema from a registry. Throws `SyntaxError` for one that is not JSON. */
export function parseSchema(text: string): unknown {
  return JSON.parse(text);
}

function problemOf(value: unknown): string | undefined {
  if (!isObject(value) || value.waybillContract === undefined) return "it has no member waybillContract";
  if (value.waybillContract !== 1)
    return `it has the format ${JSON.stringify(value.waybillContract)}, and this release reads format 1`;
  if (typeof value.service !== "string" || value.service === "") return "it names no service";
  const { entities, serializers, messageTypes } = value;
  if (!isObject(entities) || !isTexts(entities.sends) || !isTexts(entities.receives))
    return "entities must have the lists sends and receives";
  if (!isListOf(serializers, (each) => typeof each.name === "string" && isTexts(each.mediaTypes)))
    return "serializers must be a list of names with media types";
  if (!isListOf(messageTypes, isType)) return "messageTypes must be a list of types with versions";
  return undefined;
}

function isType({
  name,
  aliases,
  version,
  unversioned,
  removed,
  writes,
  versions,
}: Readonly<Record<string, unknown>>): boolean {
  return (
    typeof name === "string" &&
    isTexts(aliases) &&
    Number.isSafeInteger(version) &&
    (unversioned === undefined || Number.isSafeInteger(unversioned)) &&
    areVersions(removed) &&
    isListOf(writes, (each) => Number.isSafeInteger(each.version) && typeof each.serializer === "string") &&
    isListOf(versions, isVersion)
  );
}

function isVersion({
  version,
  upcasts,
  isWritable,
  schemas,
  body,
}: Readonly<Record<string, unknown>>): boolean {
  return (
    Number.isSafeInteger(version) &&
    areVersions(upcasts) &&
    typeof isWritable === "boolean" &&
    isObject(schemas) &&
    [...Object.values(schemas), ...(body === undefined ? [] : [body])].every(
      (each) => isObject(each) && typeof each.language === "string",
    )
  );
}

function areVersions(value: unknown): boolean {
  return Array.isArray(value) && value.every(Number.isSafeInteger);
}

function isListOf(value: unknown, is: (each: Readonly<Record<string, unknown>>) => boolean): boolean {
  return Array.isArray(value) && value.every((each) => isObject(each) && is(each));
}

function isTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === "string");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function invalid(name: string, problem: string): WaybillError {
  return new WaybillError("configuration-invalid", `${name} is not a contract file: ${problem}.`);
}
