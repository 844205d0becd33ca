import { fromPortableValue, type PortableValue, parsePortableJson } from "@waybill/migration/tools";
import { UsageError } from "../errors/usage-error.js";

/** The value of a JSON text, with the tags of what JSON cannot express. Throws `UsageError`, which names `where` if it is given. */
export function jsonValue(text: Uint8Array | string, where = "The body"): unknown {
  let value: PortableValue;
  try {
    value = parsePortableJson(
      typeof text === "string" ? text : new TextDecoder("utf-8", { fatal: true }).decode(text),
    );
  } catch {
    throw new UsageError(`${where} is not JSON. To send bytes as they are, use --raw.`);
  }
  try {
    return fromPortableValue(value);
  } catch (error) {
    throw new UsageError(`${where} has an invalid tag: ${(error as Error).message}`);
  }
}
