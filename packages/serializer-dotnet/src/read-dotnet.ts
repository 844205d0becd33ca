import { type ApplicationProperties, type Serializer, WaybillError } from "@waybill/core";
import {
  type Awaitable,
  type BodyCheck,
  type DeserializeContext,
  decodeFailure,
  validationFailure,
} from "@waybill/core/serializer";
import { maxNodes } from "./binary-xml/max-nodes.js";
import { Namespaces } from "./binary-xml/namespaces.js";
import { readDocument } from "./binary-xml/read-document.js";
import type { XmlElement } from "./binary-xml/xml-element.js";
import type { DotnetHint } from "./contract/hints.js";
import type { DateForm } from "./contract/leaf-value.js";
import { toValue } from "./contract/to-value.js";

/** The options for reading. */
export interface ReadingRules {
  readonly dates: DateForm;
  readonly hints: ReadonlyMap<string, DotnetHint> | undefined;
  /** Reads JSON in a string or bytes. */
  readonly content: Serializer | undefined;
  /** Read the content of NServiceBus's byte arrays, by content type. */
  readonly contents: readonly Serializer[];
}

/**
 * Whether NServiceBus declares the body as a `byte[]` in the legacy form, whose content has the content type. Source:
 * NServiceBus.Transport.AzureServiceBus, `ServiceBusReceivedMessageExtensions`.
 */
export function isByteArrayOfNServiceBus(properties: ApplicationProperties): boolean {
  return properties["NServiceBus.Transport.Encoding"] === "wcf/byte-array";
}

/** Reads one .NET body. Throws `decodeFailure` or, when the value breaks its schema, `validationFailure`. */
export function readDotnet(
  bytes: Uint8Array,
  context: DeserializeContext,
  rules: ReadingRules,
  check: BodyCheck | undefined,
): Awaitable<unknown> {
  const { maxDepth, maxItems = Number.POSITIVE_INFINITY } = context;
  const { dates, hints } = rules;
  if (bytes.length === 0) throw decodeFailure("body-empty", "An empty body is not .NET binary XML.");
  const root = readRoot(bytes, maxItems, context);
  const isByteArray = isByteArrayOfNServiceBus(context.applicationProperties);
  if (!context.isDeclared && !isByteArray && !isRecognised(root)) {
    throw decodeFailure("not-recognized", "DataContractSerializer does not write this root element.");
  }
  const value = toValue(root, { dates, hints, maxDepth, maxItems });
  if (isByteArray && !(value instanceof Uint8Array))
    throw decodeFailure(
      "malformed",
      "NServiceBus declares a byte array (wcf/byte-array), but the .NET body is not one.",
    );
  const content = contentOf(value, isByteArray, context, rules);
  if (content === undefined) return validated(value, check);
  const innerContext = {
    ...context,
    ...(isByteArray ? undefined : { contentType: undefined, mediaType: undefined }),
    isDeclared: true,
  };
  const inner = orText(value, () => content.reader.deserialize(content.bytes, innerContext));
  return inner instanceof Promise ? inner.then((read) => validated(read, check)) : validated(inner, check);
}

/** The document, or a failure that does not call text truncated binary XML: the letters are record types as well. */
function readRoot(bytes: Uint8Array, maxItems: number, { isDeclared }: DeserializeContext): XmlElement {
  try {
    return readDocument(bytes, maxNodes(maxItems));
  } catch (error) {
    if (!isText(bytes)) throw error;
    throw decodeFailure(
      isDeclared ? "malformed" : "not-recognized",
      "The body is text, not .NET binary XML.",
    );
  }
}

/** A .NET document has control characters from its second or third byte on: the length of its root's name. */
function isText(bytes: Uint8Array): boolean {
  try {
    const beginning = new TextDecoder("utf-8", { fatal: true }).decode(bytes.subarray(0, 1024), {
      stream: true,
    });
    return !/[^\P{Control}\t\n\f\r]/u.test(beginning);
  } catch {
    return false;
  }
}

/** Reasons why a text is not JSON. One that is JSON but cut off was meant as JSON. */
const notJson: ReadonlySet<string | undefined> = new Set(["malformed", "trailing-bytes"]);

/** What JSON in a .NET string holds, or the string itself if it is not JSON, such as a line of a log: `[INFO] …`. */
function orText(value: unknown, read: () => Awaitable<unknown>): Awaitable<unknown> {
  const keep = (error: unknown): unknown => {
    if (typeof value === "string" && error instanceof WaybillError && notJson.has(error.reason)) return value;
    throw error;
  };
  try {
    const inner = read();
    return inner instanceof Promise ? inner.catch(keep) : inner;
  } catch (error) {
    return keep(error);
  }
}

/** The content of a string or byte array and the serializer that reads it; undefined if the string or array itself is the value. */
function contentOf(
  value: unknown,
  isByteArray: boolean,
  { mediaType }: DeserializeContext,
  { content, contents }: ReadingRules,
): { readonly reader: Serializer; readonly bytes: Uint8Array } | undefined {
  if (isByteArray && mediaType !== undefined) {
    const { essence, suffix } = mediaType;
    const reader =
      contents.find(({ mediaTypes }) => mediaTypes.includes(essence)) ??
      contents.find(({ mediaTypes }) => suffix !== undefined && mediaTypes.includes(suffix));
    if (reader !== undefined) return { reader, bytes: value as Uint8Array };
  }
  const bytes = content === undefined ? undefined : jsonText(value);
  return content === undefined || bytes === undefined ? undefined : { reader: content, bytes };
}

/**
 * Microsoft's namespaces of primitives and lists, or the namespace of `i:type` and `i:nil`, which every contract's root declares, or the content of a
 * `DataSet`.
 */
function isRecognised(root: XmlElement): boolean {
  const { namespace } = root;
  if (namespace === Namespaces.serialization || namespace === Namespaces.arrays) return true;
  if (namespace.startsWith(Namespaces.contracts)) return true;
  return (
    root.declarations?.some(({ namespace }) => namespace === Namespaces.instance) === true || isDataSet(root)
  );
}

/** A `DataSet` writes itself: its root has no namespace, and has a schema and the rows, or one of both. Source: System.Data.DataSet.WriteXml. */
function isDataSet({ children, texts }: XmlElement): boolean {
  return (
    texts === undefined &&
    children?.every(({ namespace, name }) =>
      name === "schema"
        ? namespace === Namespaces.schema
        : name === "diffgram" && namespace === Namespaces.rows,
    ) === true
  );
}

const encoder = new TextEncoder();

/** The bytes of a JSON object or array in a string or bytes; undefined for other content. */
function jsonText(value: unknown): Uint8Array | undefined {
  if (typeof value === "string")
    return /^\uFEFF?[ \t\r\n]*[[{]/.test(value) ? encoder.encode(value) : undefined;
  if (!(value instanceof Uint8Array)) return undefined;
  let start = value[0] === 0xef && value[1] === 0xbb && value[2] === 0xbf ? 3 : 0;
  while ([0x20, 0x09, 0x0a, 0x0d].includes(value[start] ?? 0)) start++;
  return value[start] === 0x7b || value[start] === 0x5b ? value : undefined;
}

function validated(value: unknown, check: BodyCheck | undefined): unknown {
  if (check === undefined) return value;
  const result = check(value);
  if (!result.isValid) throw validationFailure(result.text);
  return result.value;
}
