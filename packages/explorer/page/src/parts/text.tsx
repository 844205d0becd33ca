import type { VNode } from "preact";

// Unprintable and bidirectional control characters: shown as their code points.
const unprintable =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to find.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/;

/** A text from a message: never interpreted as markup, with unprintable characters shown as their code points. */
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
