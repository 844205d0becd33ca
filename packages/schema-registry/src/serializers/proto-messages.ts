/** A message that a `.proto` source defines, with its nested messages. */
interface ProtoMessage {
  readonly name: string;
  readonly messages: ProtoMessage[];
}

/** Comments, strings, names and the relevant punctuation. */
const token = /\/\/[^\n]*|\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_][\w.]*|[{};=]/g;

/**
 * The full names of the messages of a `.proto` source by their message indexes: `"0"` is the first, `"1,0"` the first nested in the second.
 * Throws `SyntaxError` for a source without messages. Source: Confluent, "Wire format", message indexes.
 */
export function protoMessages(source: string): ReadonlyMap<string, string> {
  const root: ProtoMessage = { name: "", messages: [] };
  const open: (ProtoMessage | undefined)[] = [];
  let prefix = "";
  let previous = ["", ""];
  for (const [text] of source.matchAll(token)) {
    if (text.startsWith("//") || text.startsWith("/*")) continue;
    const [keyword, name] = previous;
    if (text === "{") {
      const parent = open.length === 0 ? root : open.at(-1);
      const message = keyword === "message" ? { name: name as string, messages: [] } : undefined;
      if (message !== undefined) parent?.messages.push(message);
      open.push(message);
    } else if (text === "}") open.pop();
    else if (text === ";" && keyword === "package" && open.length === 0) prefix = `${name}.`;
    previous = [previous[1] as string, text];
  }
  const names = new Map<string, string>();
  collect(root.messages, prefix, [], names);
  if (names.size === 0) throw new SyntaxError("The source does not define a Protobuf message.");
  return names;
}

function collect(
  messages: readonly ProtoMessage[],
  prefix: string,
  path: readonly number[],
  names: Map<string, string>,
): void {
  for (const [index, { name, messages: inner }] of messages.entries()) {
    const own = [...path, index];
    names.set(own.join(","), prefix + name);
    if (own.length < 32) collect(inner, `${prefix}${name}.`, own, names);
  }
}

/** Message indexes and where they end; undefined if there are none. Source: Confluent, "Wire format". */
export function readIndexes(
  bytes: Uint8Array,
): { readonly indexes: string; readonly end: number } | undefined {
  const count = readZigZag(bytes, 0);
  if (count === undefined || count.value < 0 || count.value > 32) return undefined;
  // A single zero means the first message.
  if (count.value === 0) return { indexes: "0", end: count.end };
  const indexes: number[] = [];
  let end = count.end;
  for (let index = 0; index < count.value; index++) {
    const next = readZigZag(bytes, end);
    if (next === undefined || next.value < 0) return undefined;
    indexes.push(next.value);
    end = next.end;
  }
  return { indexes: indexes.join(","), end };
}

/** The bytes of message indexes. */
export function writeIndexes(indexes: string): Uint8Array {
  if (indexes === "0") return Uint8Array.of(0);
  const values = indexes.split(",").map(Number);
  return Uint8Array.from([values.length, ...values].flatMap((value) => varint(value * 2)));
}

function readZigZag(
  bytes: Uint8Array,
  start: number,
): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let index = start; index < Math.min(bytes.length, start + 5); index++) {
    const byte = bytes[index] as number;
    value += (byte & 0x7f) * 2 ** (7 * (index - start));
    if (byte < 0x80) return { value: value % 2 === 0 ? value / 2 : -(value + 1) / 2, end: index + 1 };
  }
  return undefined;
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 0x7f; rest = Math.floor(rest / 128)) bytes.push((rest & 0x7f) | 0x80);
  return [...bytes, rest];
}
