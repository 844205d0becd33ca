/** Tests a text against a compiled LIKE pattern. */
export type LikeMatcher = (text: string) => boolean;

/**
 * Compiles a LIKE pattern: `%` stands for any run of characters, `_` for one (a UTF-16 unit, as in .NET); the escape
 * character takes the next one literally. Undefined when the pattern ends in its escape character.
 * Matching takes the leftmost place for each piece between `%` signs, so it never backtracks over earlier pieces.
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

/** The part of a pattern between two `%` signs. */
interface Piece {
  readonly length: number;
  matchesAt(text: string, at: number): boolean;
  /** The first place at or after `from` where the piece fits and ends at or before `end`; -1 when there is none. */
  find(text: string, from: number, end: number): number;
}

/** Stands for `_` in a piece; any other element is the literal character. */
const ANY = undefined;

function splitPattern(pattern: string, escapeCharacter: string | undefined): Piece[] | undefined {
  const pieces: Piece[] = [];
  let characters: (string | typeof ANY)[] = [];
  for (let index = 0; index < pattern.length; index++) {
    const character = pattern[index];
    if (character === escapeCharacter) {
      index += 1;
      if (index === pattern.length) return undefined;
      characters.push(pattern[index]);
    } else if (character === "%") {
      pieces.push(toPiece(characters));
      characters = [];
    } else {
      characters.push(character === "_" ? ANY : character);
    }
  }
  pieces.push(toPiece(characters));
  return pieces;
}

function toPiece(characters: readonly (string | typeof ANY)[]): Piece {
  return characters.includes(ANY) ? wildPiece(characters) : literalPiece(characters.join(""));
}

function literalPiece(literal: string): Piece {
  return {
    length: literal.length,
    matchesAt: (text, at) => text.startsWith(literal, at),
    find: (text, from, end) => {
      const at = text.indexOf(literal, from);
      return at >= 0 && at + literal.length <= end ? at : -1;
    },
  };
}

function wildPiece(characters: readonly (string | typeof ANY)[]): Piece {
  const { length } = characters;
  const matchesAt = (text: string, at: number): boolean => {
    for (let index = 0; index < length; index++) {
      const character = characters[index];
      if (character !== ANY && text[at + index] !== character) return false;
    }
    return true;
  };
  return {
    length,
    matchesAt,
    find: (text, from, end) => {
      for (let at = from; at + length <= end; at++) if (matchesAt(text, at)) return at;
      return -1;
    },
  };
}
