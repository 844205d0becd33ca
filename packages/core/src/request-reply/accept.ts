import { type MediaType, parseMediaType } from "../message/media-type.js";
import type { ApplicationProperties } from "../message/message.js";
import type { Chain, ChainLink } from "../pipeline/chain.js";

/**
 * The application property in which a request lists the media types that its reply may have, in the syntax of HTTP's field of that name:
 * `application/json, application/vnd.msgpack;q=0.5`. Source: RFC 9110, 12.5.1.
 */
export const acceptProperty = "Accept";

/** Longer texts are malformed: no real list comes near. */
const maxAcceptLength = 4_096;

/** How many lists a negotiation remembers; past that it starts again, since real systems use a handful. */
const maxRemembered = 100;

/** One member of the list: a media type, `type/*` or `*` + `/*`, and how much it is wanted, from 0 (not at all) to 1. */
interface MediaRange {
  readonly mediaType: MediaType;
  readonly quality: number;
}

/** In which content type to write a reply; undefined leaves it to the main serializer. */
export interface ReplyFormat {
  readonly contentType: string | undefined;
}

/** What the client's serializers read, for the `Accept` of its requests: the first media type of each. */
export function readableTypes({ links }: Chain): string {
  return links.map(({ mediaType }) => mediaType).join(", ");
}

/**
 * Finds the formats of replies for the serializers of one client: of what a request accepts most, what stands first in the chain. A wildcard
 * stands for the first media type of each serializer. A request without the property, or with one in which nothing is well-formed,
 * accepts everything.
 */
export class FormatNegotiation {
  readonly #chain: Chain;
  readonly #remembered = new Map<string, ReplyFormat | undefined>();

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** The format for a reply, or undefined when the request accepts none that the client has a serializer for. */
  choose(properties: ApplicationProperties): ReplyFormat | undefined {
    const accept = properties[acceptProperty];
    if (typeof accept !== "string" || accept.length > maxAcceptLength) return anything;
    if (this.#remembered.has(accept)) return this.#remembered.get(accept);
    const format = this.#best(parseAccept(accept));
    if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
    this.#remembered.set(accept, format);
    return format;
  }

  /** Whether the request accepts a content type that the reply is to have. */
  accepts(properties: ApplicationProperties, contentType: string): boolean {
    const accept = properties[acceptProperty];
    if (typeof accept !== "string" || accept.length > maxAcceptLength) return true;
    const ranges = parseAccept(accept);
    return ranges.length === 0 || qualityOf(parseMediaType(contentType)?.essence, ranges) > 0;
  }

  #best(ranges: readonly MediaRange[]): ReplyFormat | undefined {
    if (ranges.length === 0) return anything;
    let best: ReplyFormat | undefined;
    let bestQuality = 0;
    for (const link of this.#chain.links) {
      for (const type of this.#typesOf(link, ranges)) {
        const quality = qualityOf(type, ranges);
        if (quality <= bestQuality) continue;
        bestQuality = quality;
        // Left out, the main serializer names its own type, which can say more than its claim does.
        const isOwn = link.position === 0 && type === link.mediaType;
        best = isOwn ? anything : { contentType: type };
      }
    }
    return best;
  }

  /** What a serializer writes unasked, and what the request lists by name and it claims. */
  #typesOf(link: ChainLink, ranges: readonly MediaRange[]): string[] {
    const listed = ranges
      .map(({ mediaType }) => mediaType.essence)
      .filter((type) => this.#chain.select(type).link === link);
    return [link.mediaType, ...listed];
  }
}

const anything: ReplyFormat = Object.freeze({ contentType: undefined });

/** The well-formed members of the list. */
function parseAccept(text: string): MediaRange[] {
  const ranges: MediaRange[] = [];
  for (const member of text.split(",")) {
    const mediaType = parseMediaType(member);
    if (mediaType === undefined) continue;
    const quality = mediaType.parameters.get("q") ?? "1";
    if (qualityValue.test(quality)) ranges.push({ mediaType, quality: Number(quality) });
  }
  return ranges;
}

/** Source: RFC 9110, 12.4.2. */
const qualityValue = /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/;

/** How much a type is wanted, by the range that fits it most closely. */
function qualityOf(type: string | undefined, ranges: readonly MediaRange[]): number {
  if (type === undefined) return 0;
  const closest = [type, `${type.slice(0, type.indexOf("/"))}/*`, "*/*"];
  for (const wanted of closest) {
    const range = ranges.find(({ mediaType }) => mediaType.essence === wanted);
    if (range !== undefined) return range.quality;
  }
  return 0;
}
