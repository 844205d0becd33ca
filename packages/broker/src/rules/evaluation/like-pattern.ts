import { compileWildPiece, type Piece } from "./like-piece.js";
import { compileSearch } from "./literal-search.js";
import { countComparisons } from "./rule-work.js";

/** Matches a text against a compiled LIKE pattern. Throws `RuleEvaluationError` when that takes too long. */
export type LikeMatcher = (text: string) => boolean;

/** Characters that the built-in search compares in the time of one of our comparisons. */
const charactersPerComparison = 4;

/**
 * Compiles a LIKE pattern: `%` matches any run of characters, `_` one character (a UTF-16 unit, as in .NET); the escape character makes the
 * next one literal. Undefined when the pattern ends in its escape character. Each piece between `%` signs is matched at its leftmost
 * position, so matching never backtracks over earlier pieces, and each piece is found in one pass.
 */
export function compileLike(pattern: string, escapeCharacter: string | undefined): LikeMatcher | undefined {
  const pieces = splitPattern(pattern, escapeCharacter);
  if (pieces === undefined) return undefined;
  const first = pieces.shift() as Piece;
  const last = pieces.pop();
  if (last === undefined) return (text) => text.length === first.length && first.matchesAt(text, 0);
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !first.matchesAt(text, 0) || !last.matchesAt(text, end)) return false;
    let from = first.length;
    for (const piece of pieces) {
      const at = piece.find(text, from, end);
      if (at < 0) return false;
      from = at + piece.length;
    }
    return true;
  };
}

/** Stands for `_` in a piece; any other element is the literal character. */
const wildcard = undefined;

function splitPattern(pattern: string, escapeCharacter: string | undefined): Piece[] | undefined {
  const pieces: Piece[] = [];
  let characters: (string | typeof wildcard)[] = [];
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index];
    if (character === escapeCharacter) {
      index++;
      if (index === pattern.length) return undefined;
      characters.push(pattern[index]);
    } else if (character === "%") {
      pieces.push(toPiece(characters));
      characters = [];
    } else {
      characters.push(character === "_" ? wildcard : character);
    }
  }
  pieces.push(toPiece(characters));
  return pieces;
}

/** A piece without leading and trailing `_`, which only require their number of characters. */
function toPiece(characters: readonly (string | typeof wildcard)[]): Piece {
  const lead = characters.findIndex((character) => character !== wildcard);
  if (lead < 0) return anyPiece(characters.length);
  const trail = characters.length - 1 - characters.findLastIndex((character) => character !== wildcard);
  const core = characters.slice(lead, characters.length - trail);
  const piece = core.includes(wildcard) ? compileWildPiece(core) : literalPiece(core.join(""));
  return lead + trail === 0 ? piece : widened(piece, lead, trail);
}

function anyPiece(length: number): Piece {
  return { length, matchesAt: () => true, find: (_text, from, end) => (from + length <= end ? from : -1) };
}

function widened(core: Piece, lead: number, trail: number): Piece {
  return {
    length: lead + core.length + trail,
    matchesAt: (text, at) => core.matchesAt(text, at + lead),
    find: (text, from, end) => {
      const at = core.find(text, from + lead, end - trail);
      return at < 0 ? -1 : at - lead;
    },
  };
}

function literalPiece(literal: string): Piece {
  const { length } = literal;
  const search = compileSearch(literal);
  return {
    length,
    matchesAt: (text, at) => text.startsWith(literal, at),
    find: (text, from, end) => {
      if (length === 0) return from <= end ? from : -1;
      const at = search(text, from);
      const looked = (at < 0 ? text.length : at) - from + length;
      countComparisons(1 + Math.floor(looked / charactersPerComparison));
      return at >= 0 && at + length <= end ? at : -1;
    },
  };
}
