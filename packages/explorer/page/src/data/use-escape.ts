import { useEffect } from "preact/hooks";

/** Calls back when Escape is pressed anywhere on the page, unless something inside, such as a dialog or a search field, has used it. */
export function useEscape(isOn: boolean, onEscape: () => void): void {
  useEffect(() => {
    if (!isOn) return;
    const onKeyDown = (event: KeyboardEvent) => {
      const isUsed =
        event.defaultPrevented ||
        document.querySelector("dialog[open]") !== null ||
        (event.target instanceof HTMLInputElement &&
          event.target.type === "search" &&
          event.target.value !== "");
      if (event.key === "Escape" && !isUsed) onEscape();
    };
    addEventListener("keydown", onKeyDown);
    return () => removeEventListener("keydown", onKeyDown);
  });
}
