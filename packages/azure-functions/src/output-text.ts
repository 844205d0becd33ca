import { type Message, type Pipeline, WaybillError } from "@waybill/core";

/** The properties of an encoded message that an output binding loses without harm: the body tells its format by itself. */
const dispensable: ReadonlySet<string> = new Set(["body", "contentType"]);

/** The text of a message's body for an output binding of the host. */
export async function outputText(pipeline: Pipeline, message: Message): Promise<string> {
  const encoded = await pipeline.serialize(message);
  const lost = Object.entries(encoded)
    .filter(([name, value]) => !dispensable.has(name) && !isAbsent(value))
    .map(([name]) => name);
  if (lost.length > 0) throw unsupported(`It would lose ${lost.join(", ")}.`);
  if (!(encoded.body instanceof Uint8Array)) throw unsupported("Its body is no data section.");
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(encoded.body);
  } catch {
    throw unsupported("Its format is not text.");
  }
}

function isAbsent(value: unknown): boolean {
  return (
    value === undefined || (typeof value === "object" && value !== null && Object.keys(value).length === 0)
  );
}

function unsupported(text: string): WaybillError {
  return new WaybillError(
    "not-supported",
    `An output binding of the host carries only a text. ${text} Send the message with client.createSender(…).sendMessages.`,
  );
}
