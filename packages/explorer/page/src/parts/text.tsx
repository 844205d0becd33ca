import type { VNode } from "preact";

// What does not print, and what turns the direction of writing: shown as its code, never done.
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is about.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

/** A text from a message, letter by letter: nothing in it is markup, and what does not print is shown as its code. */
export function Text({ children }: { readonly children: string }): VNode {
  const parts = children.split(new RegExp(`(${unprintable.source})`));
  return (
    <bdi>
      {parts.map((part, index) => (index % 2 === 0 ? part : <span class="escape">{codeOf(part)}</span>))}
    </bdi>
  );
}

function codeOf(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
