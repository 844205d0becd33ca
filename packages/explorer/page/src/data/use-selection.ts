import { useMemo, useReducer } from "preact/hooks";
import { formatSelection, parseSelection } from "./selection-text.js";
import { useHashState } from "./use-hash-state.js";

/** The messages chosen in a list. The address of the view keeps them, unless it would become too long for what people paste it into. */
export interface Selection {
  /** Their sequence numbers. */
  readonly numbers: ReadonlySet<string>;
  /** Whether the address keeps them; if not, only this page does, until it is loaded again. */
  readonly isInAddress: boolean;
  /** Whether they are lost: the page was loaded again, or its address was opened elsewhere. */
  readonly isLost: boolean;
  select(numbers: readonly string[], isSelected: boolean): void;
}

/** How many characters of the address a selection may take. Browsers take more; mails and chats cut longer ones off. */
const maxLength = 8_000;

/** Stands in the address for a selection that is too long for it. */
const tooLong = "too-long";

const none: ReadonlySet<string> = new Set();

/** The last selection that was too long. It stays while another view is open: Back returns to it. */
let held: { readonly place: string; readonly numbers: ReadonlySet<string> } | undefined;

/** The selection in a list, which `place` names. */
export function useSelection(place: string): Selection {
  const [text = "", setText] = useHashState("selected");
  // The text of one that is too long does not change with it.
  const [turn, redraw] = useReducer((count: number) => count + 1, 0);
  return useMemo(() => {
    const isInAddress = text !== tooLong;
    const kept = held?.place === place ? held.numbers : undefined;
    const numbers = isInAddress ? parseSelection(text) : (kept ?? none);
    return {
      numbers,
      isInAddress,
      isLost: !isInAddress && kept === undefined,
      select(changed, isSelected) {
        const after = new Set(numbers);
        for (const number of changed) isSelected ? after.add(number) : after.delete(number);
        const formatted = formatSelection(after);
        const fits = formatted.length <= maxLength;
        setText(fits ? formatted : tooLong);
        if (fits) return;
        held = { place, numbers: after };
        redraw(undefined);
      },
    };
  }, [text, setText, place, turn]);
}
