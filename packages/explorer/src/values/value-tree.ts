/** A value to show: exact, of bounded size, and as plain text. */
export type ValueNode = LeafNode | ContainerNode;

/** A leaf; `text` is its start if it was truncated. */
export interface LeafNode {
  readonly kind:
    | "null"
    | "undefined"
    | "boolean"
    | "number"
    | "bigint"
    | "date"
    | "string"
    | "bytes"
    | "other";
  readonly text: string;
  /** The whole length of a string in characters, or of bytes. */
  readonly length?: number;
}

/** A container. `items` begin at `from`; if there are fewer than `size`, the others can be requested. */
export interface ContainerNode {
  readonly kind: "object" | "list" | "map" | "set";
  readonly size: number;
  readonly from: number;
  readonly items: readonly NodeItem[];
}

/** A part of a container. `step`, its index, identifies it in requests. */
export interface NodeItem {
  readonly step: number;
  /** The name of a field, the index of an item, or the key of a map as text. */
  readonly name: string;
  readonly node: ValueNode;
}

/** How much of a value is shown at once. */
export interface TreeLimits {
  readonly maxNodes: number;
  readonly maxTextLength: number;
  readonly maxItems: number;
  readonly maxDepth: number;
}

/** Limits that fit a screen and keep responses small. */
export const treeLimits: TreeLimits = Object.freeze({
  maxNodes: 2_000,
  maxTextLength: 2_000,
  maxItems: 100,
  maxDepth: 12,
});

/** The tree of a value, or of the part selected by the steps of `path`; `from` is the first item of that container. */
export function valueTree(
  value: unknown,
  {
    path = [],
    from = 0,
    limits = treeLimits,
  }: { path?: readonly number[]; from?: number; limits?: TreeLimits } = {},
): ValueNode | undefined {
  let part = value;
  for (const step of path) {
    const found = partsOf(part)?.parts[step];
    if (found === undefined) return undefined;
    part = found[1];
  }
  let nodesLeft = limits.maxNodes;
  const nodeOf = (item: unknown, depth: number, start = 0): ValueNode => {
    nodesLeft--;
    const container = partsOf(item);
    if (container === undefined) return leaf(item, limits.maxTextLength);
    const { kind, parts } = container;
    const items: NodeItem[] = [];
    const end = depth >= limits.maxDepth ? start : Math.min(parts.length, start + limits.maxItems);
    for (let step = start; step < end && nodesLeft > 0; step++) {
      const [name, child] = parts[step] ?? ["", undefined];
      items.push({ step, name: cut(name, 256), node: nodeOf(child, depth + 1) });
    }
    return { kind, size: parts.length, from: start, items };
  };
  return nodeOf(part, 0, from);
}

type Parts = {
  readonly kind: ContainerNode["kind"];
  readonly parts: readonly (readonly [string, unknown])[];
};

function partsOf(value: unknown): Parts | undefined {
  if (!isContainer(value)) return undefined;
  if (Array.isArray(value)) return { kind: "list", parts: value.map((item, index) => [String(index), item]) };
  if (value instanceof Set)
    return { kind: "set", parts: Array.from(value, (item, index) => [String(index), item]) };
  if (value instanceof Map)
    return { kind: "map", parts: Array.from(value, ([key, item]) => [keyText(key), item]) };
  return { kind: "object", parts: Object.entries(value) };
}

/** Whether a value consists of others; instants and bytes are leaves. */
export function isContainer(value: unknown): value is object {
  return (
    typeof value === "object" && value !== null && !(value instanceof Date) && !ArrayBuffer.isView(value)
  );
}

function keyText(key: unknown): string {
  return isContainer(key) ? "(object)" : leaf(key, 256).text;
}

function leaf(value: unknown, maxTextLength: number): LeafNode {
  switch (typeof value) {
    case "string":
      return { kind: "string", text: cut(value, maxTextLength), length: value.length };
    case "number":
      return { kind: "number", text: Object.is(value, -0) ? "-0" : String(value) };
    case "bigint":
      return { kind: "bigint", text: String(value) };
    case "boolean":
      return { kind: "boolean", text: String(value) };
    case "undefined":
      return { kind: "undefined", text: "undefined" };
    case "object":
      if (value === null) return { kind: "null", text: "null" };
      if (value instanceof Date) return { kind: "date", text: instant(value) };
      if (ArrayBuffer.isView(value)) return bytesLeaf(value, maxTextLength);
      return { kind: "other", text: "(object)" };
    default:
      return { kind: "other", text: `(${typeof value})` };
  }
}

function bytesLeaf({ buffer, byteOffset, byteLength }: ArrayBufferView, maxTextLength: number): LeafNode {
  const shown = Buffer.from(buffer, byteOffset, Math.min(byteLength, maxTextLength / 2));
  return { kind: "bytes", text: shown.toString("hex"), length: byteLength };
}

function instant(date: Date): string {
  return Number.isNaN(date.getTime()) ? "invalid" : date.toISOString();
}

/** Truncates without splitting a character. */
function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const isSplit = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1));
  return text.slice(0, isSplit ? maxLength - 1 : maxLength);
}
