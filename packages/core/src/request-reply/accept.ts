import { type MediaType, parseMediaType } from "../message/media-type.js";
import type { ApplicationProperties } from "../message/message.js";
import type { DeserializationReport } from "../message/report.js";
import type { Chain, ChainLink } from "../pipeline/chain.js";

/**
 * The application property of a request with the accepted media types of its reply, in the syntax of HTTP's `Accept`:
 * `application/json, application/vnd.msgpack;q=0.5`. Source: RFC 9110, 12.5.1.
 */
export const acceptProperty = "Accept";

/** Longer lists count as malformed; real ones are far shorter. */
const maxAcceptLength = 4_096;

/** How many lists that a serializer can answer are cached; then the cache is cleared, because real systems use only a few. */
const maxRemembered = 100;

/** One member of the list: a media type, `type/*` or `*` + `/*`, and its quality from 0 (not accepted) to 1. */
interface MediaRange {
  readonly mediaType: MediaType;
  readonly quality: number;
}

/** What a request says about its format. */
interface AnsweredRequest {
  readonly applicationProperties: ApplicationProperties;
  readonly contentType?: string | undefined;
  readonly deserialization?: Pick<DeserializationReport, "serializer"> | undefined;
}

/** The content type of a reply; undefined for that of the main serializer. */
export interface ReplyFormat {
  readonly contentType: string | undefined;
}

/** The `Accept` of a client's requests: the first media type of each of its serializers. */
export function readableTypes({ links }: Chain): string {
  return links.map(({ mediaType }) => mediaType).join(", ");
}

/**
 * Chooses the formats of a client's replies: of the accepted media types with the highest quality, that of the first serializer in the chain.
 * A wildcard matches the first media type of each serializer. A request without the property, or with a malformed one, is answered in its own
 * format.
 */
export class FormatNegotiation {
  readonly #chain: Chain;
  readonly #remembered = new Map<string, ReplyFormat>();

  constructor(chain: Chain) {
    this.#chain = chain;
  }

  /** The format of a reply, or undefined when the client has a serializer for none of the accepted types. */
  choose(request: AnsweredRequest): ReplyFormat | undefined {
    const accept = request.applicationProperties[acceptProperty];
    if (typeof accept !== "string" || accept.length > maxAcceptLength) return this.#formatOf(request);
    const remembered = this.#remembered.get(accept);
    if (remembered !== undefined) return remembered;
    const ranges = parseAccept(accept);
    if (ranges.length === 0) return this.#formatOf(request);
    const format = this.#best(ranges);
    if (format === undefined) return undefined;
    if (this.#remembered.size >= maxRemembered) this.#remembered.clear();
    this.#remembered.set(accept, format);
    return format;
  }

  /** Whether the request accepts the content type of a reply. */
  accepts(properties: ApplicationProperties, contentType: string): boolean {
    const accept = properties[acceptProperty];
    if (typeof accept !== "string" || accept.length > maxAcceptLength) return true;
    const ranges = parseAccept(accept);
    return ranges.length === 0 || qualityOf(parseMediaType(contentType)?.essence, ranges) > 0;
  }

  /** The format of the request: its sender has at least written it, and a requester without `Accept` may read nothing else. */
  #formatOf({ contentType, deserialization }: AnsweredRequest): ReplyFormat {
    const reader = this.#chain.links.find(
      ({ serializer }) => serializer.name === deserialization?.serializer,
    );
    const { link: declared, mediaType } = this.#chain.select(contentType);
    const link = reader ?? declared;
    if (link === undefined || link.position === 0) return anything;
    // The content type may name another format than the one that could be read.
    const isLabelled = mediaType !== undefined && this.#chain.select(mediaType.essence).link === link;
    return { contentType: isLabelled ? mediaType.essence : link.mediaType };
  }

  #best(ranges: readonly MediaRange[]): ReplyFormat | undefined {
    let best: ReplyFormat | undefined;
    let bestQuality = 0;
    for (const link of this.#chain.links) {
      for (const type of this.#typesOf(link, ranges)) {
        const quality = qualityOf(type, ranges);
        if (quality <= bestQuality) continue;
        bestQuality = quality;
        // Without a content type, the main serializer sets its own, which may have parameters.
        const isOwn = link.position === 0 && type === link.mediaType;
        best = isOwn ? anything : { contentType: type };
      }
    }
    return best;
  }

  /** The first media type of a serializer, and those of its others that the request lists by name. */
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

/** The quality of a type, from the most specific range that matches it. */
function qualityOf(type: string | undefined, ranges: readonly MediaRange[]): number {
  if (type === undefined) return 0;
  const closest = [type, `${type.slice(0, type.indexOf("/"))}/*`, "*/*"];
  for (const wanted of closest) {
    const range = ranges.find(({ mediaType }) => mediaType.essence === wanted);
    if (range !== undefined) return range.quality;
  }
  return 0;
}
