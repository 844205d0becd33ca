import type { ApplicationProperties, DeserializationOutcome } from "@waybill/core";
import type { DeliveredMessage } from "@waybill/core/transport";
import { toPortableValue } from "@waybill/migration/tools";
import type { ExplorerContext } from "../options/explorer-options.js";
import { RequestError } from "../wire/request-error.js";
import { readMessage } from "./peek.js";

/** A payload in the shape of Temporal's codec servers: metadata and data are Base64. Source: docs.temporal.io, "Codec Server". */
export interface CodecPayload {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly data?: string;
}

const maxPayloads = 1_000;

/**
 * Reads payloads with the chain and returns their values as JSON; undeserializable payloads are returned unchanged, as codec servers do.
 * Metadata are the properties of the message: `contentType`, `subject`, else application properties; without `contentType`, an `encoding` that is
 * a media type is used instead.
 */
export async function decodePayloads(context: ExplorerContext, request: unknown) {
  const { payloads } = (request ?? {}) as { payloads?: unknown };
  if (!Array.isArray(payloads) || payloads.length > maxPayloads)
    throw new RequestError(400, `payloads must be a list of at most ${maxPayloads} payloads.`);
  const decoded: CodecPayload[] = [];
  for (const payload of payloads) decoded.push(await decodePayload(context, checked(payload)));
  return { payloads: decoded };
}

async function decodePayload(context: ExplorerContext, payload: CodecPayload): Promise<CodecPayload> {
  const { contentType, subject, encoding, ...others } = textsOf(payload.metadata ?? {});
  const message = {
    body: Uint8Array.from(Buffer.from(payload.data ?? "", "base64")),
    contentType: contentType ?? mediaTypeOf(encoding),
    subject,
    applicationProperties: others as ApplicationProperties,
  };
  const outcome = await readMessage(context, message as unknown as DeliveredMessage);
  if (outcome.status !== "decoded" || outcome.report.isEmpty === true) return payload;
  return {
    metadata: { encoding: base64("json/plain"), ...metadataOf(outcome.report) },
    data: base64(JSON.stringify(toPortableValue(outcome.body))),
  };
}

/** Metadata about how the body was read. */
function metadataOf({ serializer, messageType, messageVersion }: DeserializationOutcome["report"]) {
  const entries = Object.entries({ serializer, messageType, messageVersion }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, base64(String(value))]],
  );
  return Object.fromEntries(entries) as Record<string, string>;
}

/** The media type of an encoding: Temporal's own names, or a media type. */
function mediaTypeOf(encoding: string | undefined): string | undefined {
  if (encoding === "json/plain") return "application/json";
  return encoding === undefined || /^(?:binary|json)\//.test(encoding) ? undefined : encoding;
}

function textsOf(metadata: Readonly<Record<string, string>>): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(metadata).map(([name, value]) => [name, Buffer.from(value, "base64").toString("utf8")]),
  );
}

function checked(payload: unknown): CodecPayload {
  const { metadata = {}, data = "" } = (payload ?? {}) as { metadata?: unknown; data?: unknown };
  const isFine =
    typeof data === "string" &&
    typeof metadata === "object" &&
    metadata !== null &&
    Object.values(metadata).every((value) => typeof value === "string");
  if (isFine) return payload as CodecPayload;
  throw new RequestError(400, "A payload must have data and metadata in Base64.");
}

function base64(text: string): string {
  return Buffer.from(text).toString("base64");
}
