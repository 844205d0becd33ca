const esc = "\u001b";

/** What a terminal shows in the end after a text was written to it, without colours: progress bars write over themselves. */
export function screenOf(written: string): string {
  const lines: string[][] = [[]];
  let column = 0;
  const tokens = new RegExp(`${esc}\\[([?\\d;]*)([A-Za-z])|${esc}\\[?.|[\\s\\S]`, "gu");
  for (const [token, numbers = "", command] of written.matchAll(tokens)) {
    const line = lines.at(-1) ?? [];
    if (token === "\n") lines.push([]);
    else if (token === "\r") column = 0;
    else if (command === "G") column = Math.max(Number(numbers || 1) - 1, 0);
    else if (command === "K") {
      if (numbers === "2") line.length = 0;
      else line.length = Math.min(line.length, column);
    } else if (!token.startsWith(esc)) {
      while (line.length < column) line.push(" ");
      line[column++] = token;
    }
  }
  return lines.map((line) => line.join("").trimEnd()).join("\n");
}
