/** The versions of a definition as strings: those with schemas, and the current one. */
export type KnownVersion<Version extends number, Schemas> =
  | `${keyof Schemas & (number | string)}`
  | `${Version}`;

/** A version's number from its key. */
export type VersionNumber<Key> = Key extends `${infer Version extends number}` ? Version : never;

/**
 * The next version in a definition, skipping unused ones. If that version is missing, a string literal type with the error that the compiler
 * shows.
 */
export type NextVersion<From extends string, Known extends string, Unused extends string> =
  Increment<From> extends infer Next extends string
    ? Next extends Known
      ? Next
      : Next extends Unused
        ? NextVersion<Next, Known, Unused>
        : `nothing is known of version ${Next}: give it a schema and an upcaster, or list it in unused`
    : never;

/** The previous version in a definition. */
export type PreviousVersion<From extends string, Known extends string, Unused extends string> = {
  [Each in Known]: NextVersion<Each, Known, Unused> extends From ? Each : never;
}[Known];

/** The next integer, in decimal digits. */
type Increment<Digits extends string> = Digits extends `${infer Head}9`
  ? `${Head extends "" ? "1" : Increment<Head>}0`
  : {
      [Digit in keyof NextDigit]: Digits extends `${infer Head}${Digit}`
        ? `${Head}${NextDigit[Digit]}`
        : never;
    }[keyof NextDigit];

interface NextDigit {
  "0": "1";
  "1": "2";
  "2": "3";
  "3": "4";
  "4": "5";
  "5": "6";
  "6": "7";
  "7": "8";
  "8": "9";
}
