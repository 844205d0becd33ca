type Properties = Readonly<Record<string, string | number | boolean>>;

const number = /^-?\d{1,15}(?:\.\d{1,10})?$/;

/** Application properties, one `name=value` per line: numbers and booleans as they are, everything else is a string; in quotes it always is. */
export function parseProperties(text: string): Properties {
  const entries = text.split("\n").flatMap((line) => {
    const at = line.indexOf("=");
    return at < 1 ? [] : [[line.slice(0, at).trim(), typed(line.slice(at + 1).trim())] as const];
  });
  return Object.fromEntries(entries);
}

/** The text that {@link parseProperties} reads as these properties. */
export function formatProperties(properties: Properties): string {
  return Object.entries(properties)
    .map(
      ([name, value]) =>
        `${name}=${typeof value === "string" && typed(value) !== value ? JSON.stringify(value) : value}`,
    )
    .join("\n");
}

function typed(text: string): string | number | boolean {
  if (text === "true" || text === "false") return text === "true";
  if (number.test(text)) return Number(text);
  return /^".*"$/.test(text) ? unquoted(text) : text.trim();
}

function unquoted(text: string): string {
  try {
    return String(JSON.parse(text));
  } catch {
    return text;
  }
}
