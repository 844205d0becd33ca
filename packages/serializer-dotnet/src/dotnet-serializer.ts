import type { Serializer, StandardSchema } from "@waybill/core";
import {
  type BodySchemaOptions,
  compileValidator,
  type OptionNames,
  requireKnownOptions,
  requireOneOf,
  resolveBodySchemas,
  type SerializeContext,
  type ValidateFunction,
} from "@waybill/core/serializer";
import { json } from "@waybill/serializer-json";
import { type DotnetHints, resolveHints } from "./contract/hints.js";
import type { DateForm } from "./contract/leaf-value.js";
import { isByteArrayOfNServiceBus, readDotnet } from "./read-dotnet.js";
import { type DotnetContract, type ResolvedContract, resolveContract } from "./write/contract.js";
import { writeDotnet } from "./write-dotnet.js";

/** A schema for .NET bodies: a Standard Schema (zod, valibot …) or a function that returns the value or throws. */
export type DotnetBodySchema = StandardSchema | ValidateFunction;

/** How `dotnetBinary()` reads, writes and validates. */
export interface DotnetOptions extends BodySchemaOptions<DotnetBodySchema> {
  /**
   * Whether bodies that are a string or bytes contain JSON, by far the most common kind: content that begins with `{` or `[` is read as JSON (a string
   * that is not JSON remains a string), and every value is written as a string of JSON. Pass a JSON serializer instead of `true` to configure it. Default `false`.
   */
  readonly json?: boolean | Serializer | undefined;
  /**
   * Serializers for the content of `byte[]` bodies that NServiceBus sent in the legacy form (`NServiceBus.Transport.Encoding` is
   * `wcf/byte-array`), by the message's content type. Default: only JSON.
   */
  readonly contents?: readonly Serializer[] | undefined;
  /**
   * How instants are read: as a `Date` (default; a time without a zone counts as UTC, fractions of a millisecond are dropped) or as an ISO 8601
   * string that keeps all seven digits, the missing zone and the offset of a `DateTimeOffset`.
   */
  readonly dates?: DateForm | undefined;
  /**
   * Types that the bytes do not show, by path: `{ Lines: "array", "Lines.Sku": "string" }`. A list of objects that may have one item needs a hint,
   * and so does a member whose text may be `"0"` or `"1"`. Default: none.
   */
  readonly hints?: DotnetHints | undefined;
  /** The class to write objects as that `contracts` does not cover. If omitted, they are written as `Dictionary<string, object>`. */
  readonly contract?: DotnetContract | undefined;
  /** The classes to write by message type. Default: none. */
  readonly contracts?: Readonly<Record<string, DotnetContract>> | undefined;
}

const optionNames: OptionNames<DotnetOptions> = {
  schema: true,
  schemas: true,
  json: true,
  contents: true,
  dates: true,
  hints: true,
  contract: true,
  contracts: true,
};

/**
 * The serializer of legacy .NET bodies, as `new BrokeredMessage(object)` writes them: .NET binary XML of DataContractSerializer. It recognises
 * them without a content type, by their structure and Microsoft's namespaces. Throws `TypeError` for invalid options.
 * Source: [MC-NBFX], and the data contract names of .NET.
 */
export function dotnetBinary(options: DotnetOptions = {}): Serializer {
  requireKnownOptions("dotnetBinary", options, optionNames);
  const schemas = resolveBodySchemas(options, compileValidator);
  const content = resolveJson(options.json);
  const reading = {
    dates: requireOneOf("dotnetBinary: dates", options.dates ?? "date", ["date", "iso"]),
    hints: resolveHints(options.hints),
    content,
    contents: resolveContents(options.contents, content),
  };
  const contractFor = resolveContracts(options);
  return Object.freeze({
    name: "dotnet-binary",
    mediaTypes: Object.freeze(["application/msbin1"]),
    detection: "magic",
    leadingBytes,
    conforming: true,
    validation: options.schema === undefined && options.schemas === undefined ? undefined : "schema",
    identifies: isByteArrayOfNServiceBus,
    compileSchema: schemas.compileSchema,
    checkFor: schemas.checkFor,
    serialize: (value, context) =>
      writeDotnet(value, context, {
        content,
        contract: contractFor(context),
        check: schemas.checkFor(context),
      }),
    deserialize: (bytes, context) => readDotnet(bytes, context, reading, schemas.checkFor(context)),
  } satisfies Serializer);
}

/** The records that can begin an element: without a prefix, with one, with one of a single letter. */
const leadingBytes: readonly number[] = Object.freeze([
  0x40,
  0x41,
  ...Array.from({ length: 26 }, (_, letter) => 0x5e + letter),
]);

function resolveJson(option: DotnetOptions["json"]): Serializer | undefined {
  if (option === undefined || option === false) return undefined;
  if (option === true) return json();
  if (typeof option === "object" && option !== null && typeof option.deserialize === "function")
    return option;
  throw new TypeError("dotnetBinary: json must be a boolean or a JSON serializer.");
}

function resolveContents(
  option: DotnetOptions["contents"],
  content: Serializer | undefined,
): readonly Serializer[] {
  if (option !== undefined && !Array.isArray(option))
    throw new TypeError("dotnetBinary: contents must be an array of serializers.");
  return Object.freeze([...(option ?? []), content ?? json()]);
}

function resolveContracts(
  options: DotnetOptions,
): (context: SerializeContext) => ResolvedContract | undefined {
  const fallback = options.contract === undefined ? undefined : resolveContract(options.contract);
  const byType = new Map(
    Object.entries(options.contracts ?? {}).map(([type, contract]) => [type, resolveContract(contract)]),
  );
  return ({ messageType }) => (messageType === undefined ? fallback : (byType.get(messageType) ?? fallback));
}
