/** How many numbers a text may stand for: an address that somebody else wrote must not fill the memory. */
const maxNumbers = 100_000;

/**
 * Sequence numbers as a short text for an address: the distance of each from the one before, in hexadecimal, and after `-` how many more follow
 * it without a gap. `1-5db` is 1 to 1,500, and `5.2-2` is 5, 7, 8 and 9.
 */
export function formatSelection(numbers: ReadonlySet<string>): string {
  const sorted = Array.from(numbers, BigInt).sort((one, two) => (one < two ? -1 : Number(one > two)));
  const parts: string[] = [];
  let last = 0n;
  for (let index = 0; index < sorted.length; ) {
    const first = sorted[index] ?? 0n;
    let run = 1;
    while (sorted[index + run] === first + BigInt(run)) run++;
    parts.push(`${(first - last).toString(16)}${run === 1 ? "" : `-${(run - 1).toString(16)}`}`);
    last = first + BigInt(run - 1);
    index += run;
  }
  return parts.join(".");
}

/** The numbers that {@link formatSelection} wrote; what is no such text stands for none. */
export function parseSelection(text: string): ReadonlySet<string> {
  const numbers = new Set<string>();
  let last = 0n;
  for (const part of text.split(".")) {
    const [, distance, run = "0"] = /^([\da-f]{1,16})(?:-([\da-f]{1,5}))?$/.exec(part) ?? [];
    if (distance === undefined) return new Set();
    last += BigInt(`0x${distance}`);
    for (let left = Number.parseInt(run, 16); numbers.size < maxNumbers; left--) {
      numbers.add(String(last));
      if (left === 0) break;
      last += 1n;
    }
  }
  return numbers;
}
