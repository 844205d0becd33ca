import { hex, kindOf, required } from "@waybill/foundation";
import type { Serializer } from "../contracts/serializer.js";
import { WaybillError } from "../errors/error.js";
import { isForeign } from "../message/foreign-media-type.js";
import { type MediaType, parseMediaType } from "../message/media-type.js";
import type { EncodedMessage } from "../message/message.js";

/** A serializer and its position in the chain: 0 is the main serializer. */
export interface ChainLink {
  readonly serializer: Serializer;
  /** The name of the serializer. */
  readonly name: string;
  readonly position: number;
  /** The media type that it writes. */
  readonly mediaType: string;
}

/**
 * The result of looking up a content type. `link` is the serializer that reads the media type; `"foreign"` means another known format that
 * no serializer of the chain reads.
 */
export type Selection =
  | { readonly kind: "declared"; readonly mediaType: MediaType | undefined; readonly link: ChainLink }
  | {
      readonly kind: "missing" | "unknown" | "foreign" | "malformed";
      readonly mediaType: MediaType | undefined;
      readonly link: undefined;
    };

/** The serializers of a pipeline, found by content type or by first byte. */
export interface Chain {
  readonly links: readonly ChainLink[];
  /** The link of the main serializer. */
  readonly main: ChainLink;
  /** The link of the serializer with this name. Throws `TypeError` if there is none. */
  named(name: string): ChainLink;
  /** Finds the serializer for a content type. */
  select(contentType: string | undefined): Selection;
  /** The same for a received message: a serializer that `identifies` the message takes precedence over its content type. */
  selectFor(message: EncodedMessage): Selection;
  /**
   * The serializers that may recognise a body by its first byte, or else by that of its text: none, one, or several that each check their own
   * header.
   */
  candidates(bytes: Uint8Array): readonly ChainLink[];
}

const missing: Selection = Object.freeze({ kind: "missing", mediaType: undefined, link: undefined });
const malformed: Selection = Object.freeze({ kind: "malformed", mediaType: undefined, link: undefined });
const noLinks: readonly ChainLink[] = Object.freeze([]);

/** How many content types are cached; then the cache is cleared, because real systems use only a few. */
const maxRemembered = 500;

/** This type counts as no content type, unless a serializer reads it, such as `bytes()`. Source: RFC 2046, 4.5.1. */
const undeclared = "application/octet-stream";

/** A valid entry of `mediaTypes`: a lower-case media type without parameters, or a suffix. */
const claim = /^(?:[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+|\+[a-z0-9!#$&^_.-]+)$/;

/**
 * Creates a chain of serializers. Throws `configuration-invalid` when they conflict: two with the same name or media type, or two that could
 * both recognise the same bytes without a content type.
 */
export function createChain(serializers: readonly Serializer[]): Chain {
  const links = serializers.map(checked);
  refuseDuplicateNames(links);
  const claims = collectClaims(links);
  const table = recognitionTable(links);
  const remembered = new Map<string, Selection>();
  // Most receivers get one content type again and again.
  let last: string | undefined;
  let lastSelection: Selection = missing;
  const identifying = links.filter(({ serializer }) => serializer.identifies !== undefined);
  const select = (contentType: string | undefined): Selection => {
    if (contentType === last) return lastSelection;
    if (contentType === undefined || contentType === "") return missing;
    // Untyped transports and programs may pass anything.
    if (typeof contentType !== "string") return malformed;
    const selection = remembered.get(contentType) ?? selectFrom(claims, contentType);
    if (contentType.length > 256) return selection;
    if (remembered.size >= maxRemembered) remembered.clear();
    remembered.set(contentType, selection);
    last = contentType;
    lastSelection = selection;
    return selection;
  };
  return {
    links,
    main: required(links[0], "The main serializer"),
    named(name) {
      const link = links.find(({ serializer }) => serializer.name === name);
      if (link === undefined) throw new TypeError(`No serializer of the pipeline is named "${name}".`);
      return link;
    },
    select,
    selectFor({ contentType, applicationProperties }) {
      const selection = select(contentType);
      if (identifying.length === 0 || applicationProperties === undefined) return selection;
      const link = identifying.find(({ serializer }) => serializer.identifies?.(applicationProperties));
      return link === undefined ? selection : { kind: "declared", mediaType: selection.mediaType, link };
    },
    candidates: (bytes) => table[bytes[0] ?? -1] ?? table[firstOfText(bytes)] ?? noLinks,
  };
}

function selectFrom(claims: ReadonlyMap<string, ChainLink>, contentType: string): Selection {
  const mediaType = parseMediaType(contentType);
  if (mediaType === undefined) return contentType.trim() === "" ? missing : malformed;
  const link =
    claims.get(mediaType.essence) ??
    (mediaType.suffix === undefined ? undefined : claims.get(mediaType.suffix));
  if (link !== undefined) return { kind: "declared", mediaType, link };
  if (mediaType.essence === undeclared) return missing;
  return { kind: isForeign(mediaType) ? "foreign" : "unknown", mediaType, link: undefined };
}

function checked(serializer: Serializer, position: number): ChainLink {
  const option = position === 0 ? "serializer" : `additionalDeserializers[${position - 1}]`;
  if (typeof serializer === "function") {
    const { name } = serializer as () => unknown;
    throw new TypeError(
      `${option} must be a serializer; got ${kindOf(serializer)}, which makes one when it is called: ${name || "name"}().`,
    );
  }
  const name = serializer?.name;
  if (typeof name !== "string" || name === "") {
    throw new TypeError(
      `${option} must be a serializer, an object with a name, such as json() makes; got ${kindOf(serializer)}.`,
    );
  }
  if (typeof serializer.serialize !== "function" || typeof serializer.deserialize !== "function") {
    throw new TypeError(`The serializer "${name}" lacks serialize or deserialize.`);
  }
  const [mediaType] = serializer.mediaTypes;
  if (mediaType === undefined) {
    throw invalid(
      `the serializer "${name}" claims no media type, so it could neither be declared nor write one`,
    );
  }
  for (const type of serializer.mediaTypes) {
    if (!claim.test(type))
      throw invalid(`the serializer "${name}" claims "${type}", which is not a lower-case media type`);
    if (type === undeclared && serializer.detection !== "label") {
      throw invalid(`the serializer "${name}" claims "${undeclared}", which declares no format`);
    }
  }
  if (mediaType.startsWith("+")) {
    throw invalid(
      `the serializer "${name}" names a suffix first, but the first media type is the one it writes`,
    );
  }
  checkDetection(serializer);
  return { serializer, name, position, mediaType };
}

function checkDetection({ name, detection, leadingBytes }: Serializer): void {
  if (detection !== "magic" && detection !== "structure" && detection !== "label") {
    throw new TypeError(
      `The serializer "${name}" has the detection ${JSON.stringify(detection)}; use "magic", "structure" or "label".`,
    );
  }
  const count = leadingBytes?.length ?? 0;
  if (detection === "label" && count > 0) {
    throw invalid(`the serializer "${name}" reads labelled bodies only, so it must not name leading bytes`);
  }
  if (detection !== "label" && count === 0) {
    throw invalid(
      `the serializer "${name}" recognises bodies without a label, so it must name its leading bytes`,
    );
  }
  for (const byte of leadingBytes ?? []) {
    if (!Number.isInteger(byte) || byte < 0 || byte > 255) {
      throw new TypeError(
        `The serializer "${name}" names the leading byte ${String(byte)}; bytes are 0 to 255.`,
      );
    }
  }
}

function refuseDuplicateNames(links: readonly ChainLink[]): void {
  const names = new Set<string>();
  for (const { serializer } of links) {
    if (names.has(serializer.name)) throw invalid(`two serializers are named "${serializer.name}"`);
    names.add(serializer.name);
  }
}

function collectClaims(links: readonly ChainLink[]): ReadonlyMap<string, ChainLink> {
  const claims = new Map<string, ChainLink>();
  for (const link of links) {
    for (const type of new Set(link.serializer.mediaTypes)) {
      const other = claims.get(type);
      if (other !== undefined) {
        throw invalid(
          `"${other.serializer.name}" and "${link.serializer.name}" both claim the media type "${type}"`,
        );
      }
      claims.set(type, link);
    }
  }
  return claims;
}

/** The first byte of a text after a byte order mark and white space, which .NET's writers and templates put before JSON and XML. */
function firstOfText(bytes: Uint8Array): number {
  let start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  while (whiteSpace.has(bytes[start] ?? -1)) start++;
  return bytes[start] ?? -1;
}

const whiteSpace: ReadonlySet<number> = new Set([0x09, 0x0a, 0x0d, 0x20]);

/**
 * The serializers that may recognise a body, by its first byte. Two structural formats must not share one, because the result would depend on
 * the order of the chain. Formats with a header of their own may.
 */
function recognitionTable(links: readonly ChainLink[]): readonly (readonly ChainLink[] | undefined)[] {
  const table: (ChainLink[] | undefined)[] = new Array(256).fill(undefined);
  for (const link of links) {
    for (const byte of new Set(link.serializer.leadingBytes ?? [])) {
      const others = table[byte];
      const rival = others?.find(
        (other) => other.serializer.detection !== "magic" || link.serializer.detection !== "magic",
      );
      if (rival !== undefined) {
        throw invalid(
          `unlabelled bodies that start with 0x${hex(Uint8Array.of(byte))} could be "${rival.serializer.name}" or "${link.serializer.name}"; ` +
            `give one of them the detection "label"`,
        );
      }
      if (others === undefined) table[byte] = [link];
      else others.push(link);
    }
  }
  return table;
}

function invalid(text: string): WaybillError {
  return new WaybillError("configuration-invalid", `The chain is not safe: ${text}.`);
}
