import { type Serializer, WaybillError } from "@waybill/core";
import {
  type Awaitable,
  type BodyCheck,
  encodeFailure,
  type SerializeContext,
  type SerializedBody,
} from "@waybill/core/serializer";
import { maxNodes } from "./binary-xml/max-nodes.js";
import { readDocument } from "./binary-xml/read-document.js";
import { toValue } from "./contract/to-value.js";
import type { ResolvedContract } from "./write/contract.js";
import type { WrittenDocument } from "./write/element-writer.js";
import { PlainRecord, toPlainValue } from "./write/plain-value.js";
import { writeContract } from "./write/write-contract.js";
import { writeUntyped } from "./write/write-untyped.js";

/** The options for writing. */
export interface WritingRules {
  /** Writes JSON into the body's string. */
  readonly content: Serializer | undefined;
  readonly contract: ResolvedContract | undefined;
  readonly check: BodyCheck | undefined;
}

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Writes one value as a .NET body: a string of JSON, an object of a contract, or a value with its own types. Throws `encodeFailure`. */
export function writeDotnet(
  value: unknown,
  context: SerializeContext,
  { content, contract, check }: WritingRules,
): Awaitable<SerializedBody> {
  const result = check?.(value);
  if (result?.isValid === false) throw encodeFailure(result.text);
  if (content !== undefined) {
    const written = content.serialize(value, context);
    return written instanceof Promise ? written.then(asText) : asText(written);
  }
  const plain = toPlainValue(value, context.maxDepth);
  const isContract = contract !== undefined && plain instanceof PlainRecord;
  const written = isContract ? writeContract(plain, contract) : writeUntyped(plain);
  requireFewItems(written, context);
  return { bytes: written.bytes };
}

/** Refuses values with more items than readers accept; the bytes are read to count them only if the number of nodes exceeds the limit. */
function requireFewItems(
  { bytes, nodeCount }: WrittenDocument,
  { maxDepth, maxItemsIn }: SerializeContext,
): void {
  const maxItems = maxItemsIn?.(bytes.length);
  if (maxItems === undefined || nodeCount <= maxItems) return;
  try {
    toValue(readDocument(bytes, maxNodes(maxItems)), { dates: "iso", hints: undefined, maxDepth, maxItems });
  } catch (error) {
    throw error instanceof WaybillError ? encodeFailure(`The body cannot be written: ${error.text}`) : error;
  }
}

function asText({ bytes }: SerializedBody): SerializedBody {
  return { bytes: writeUntyped(utf8.decode(bytes)).bytes };
}
