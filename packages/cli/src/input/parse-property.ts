import type { ApplicationProperties, ApplicationPropertyValue } from "@waybill/core";
import { InvalidArgumentError } from "commander";

/** Adds `name=text`, or `name:=value` with a number, `true`, `false` or `null`, to the properties so far. */
export function addProperty(text: string, properties: ApplicationProperties = {}): ApplicationProperties {
  const match = /^([^=]+?)(:?)=(.*)$/s.exec(text);
  if (match === null)
    throw new InvalidArgumentError(`"${text}" is not a property. Write name=text, or name:=7 for a number.`);
  const [, name = "", typed, value = ""] = match;
  return Object.fromEntries([
    ...Object.entries(properties),
    [name, typed === "" ? value : typedValue(value)],
  ]);
}

function typedValue(text: string): ApplicationPropertyValue {
  if (text === "true" || text === "false") return text === "true";
  if (text === "null") return null;
  if (/^-?\d+$/.test(text)) {
    const number = Number(text);
    return Number.isSafeInteger(number) ? number : BigInt(text);
  }
  const number = Number(text);
  if (text.trim() !== "" && Number.isFinite(number)) return number;
  throw new InvalidArgumentError(`":=" needs a number, true, false or null, not "${text}".`);
}
