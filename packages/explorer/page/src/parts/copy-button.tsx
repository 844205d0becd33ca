import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../data/api.js";

interface CopyButtonProps {
  /** Its name: "Copy the body". */
  readonly name: string;
  /** The text on the button, with which the name begins. Default: a sign. */
  readonly text?: string;
  /** The text to copy, or how to get it. */
  readonly content: string | (() => Promise<string>);
}

/** How long the button says that it has copied, in milliseconds. */
const shownForMs = 2_000;

/** Copies a text to the clipboard. */
export function CopyButton({ name, text = "⧉", content }: CopyButtonProps): VNode {
  const [said, setSaid] = useState<string>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(typeof content === "string" ? content : await content());
      setSaid("Copied");
    } catch (error) {
      setSaid(`Not copied: ${errorText(error)}`);
    }
    setTimeout(() => setSaid(undefined), shownForMs);
  };
  return (
    <>
      <button type="button" class="copy quiet-button" title={name} aria-label={name} onClick={copy}>
        {text}
      </button>
      <span class="copied" role="status">
        {said}
      </span>
    </>
  );
}
