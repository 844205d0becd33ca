import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { errorText } from "../data/api.js";

interface CopyButtonProps {
  /** What is copied, for assistive technology and as the hint: "the message id". */
  readonly what: string;
  /** The text on the button. Default: a sign. */
  readonly text?: string;
  /** The text to copy, or how to get it. */
  readonly content: string | (() => Promise<string>);
}

/** How long the button says that it has copied, in milliseconds. */
const shownForMs = 2_000;

/** Copies a text to the clipboard. */
export function CopyButton({ what, text = "⧉", content }: CopyButtonProps): VNode {
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
      <button
        type="button"
        class="copy quiet-button"
        title={`Copy ${what}`}
        aria-label={`Copy ${what}`}
        onClick={copy}
      >
        {text}
      </button>
      <span class="copied" role="status">
        {said}
      </span>
    </>
  );
}
