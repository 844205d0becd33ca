import type { TargetedKeyboardEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";

/** Keys that move the focus within a list, by how many links. */
const steps: Readonly<Record<string, number>> = {
  ArrowDown: 1,
  ArrowUp: -1,
  PageDown: 10,
  PageUp: -10,
  Home: Number.NEGATIVE_INFINITY,
  End: Number.POSITIVE_INFINITY,
};

/** Makes a list of links one stop of the Tab key, however long it is: arrow keys move among them. The current one is the stop, or the first. */
export function useRoving<List extends HTMLElement>() {
  const list = useRef<List>(null);
  const links = () => [...(list.current?.querySelectorAll<HTMLAnchorElement>("a") ?? [])];
  const stopAt = (stop: HTMLAnchorElement | undefined) => {
    for (const link of links()) link.tabIndex = link === stop ? 0 : -1;
  };
  useEffect(() => {
    const all = links();
    const focused = all.find((link) => link === document.activeElement);
    stopAt(focused ?? all.find((link) => link.ariaCurrent !== null) ?? all[0]);
  });
  const onKeyDown = (event: TargetedKeyboardEvent<List>) => {
    const step = steps[event.key];
    const all = links();
    const from = all.indexOf(document.activeElement as HTMLAnchorElement);
    if (step === undefined || from === -1) return;
    const to = all[Math.max(0, Math.min(all.length - 1, from + step))];
    stopAt(to);
    to?.focus();
    event.preventDefault();
  };
  return { ref: list, onKeyDown };
}
