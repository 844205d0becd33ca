import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { get } from "../data/api.js";
import { countText, sizeText } from "../data/format.js";
import type { ContainerNode, LeafNode, ValueNode } from "../data/types.js";
import { useAttempt } from "../data/use-attempt.js";
import { Action } from "./parts.js";
import { Text } from "./text.js";

/** The message to load the rest of a value from. */
export interface ValueSource {
  readonly entity: string;
  readonly number: string;
  readonly readAs?: string | undefined;
  /** Reads the body as JSON, whatever the chain and its labels say. */
  readonly plainJson?: "true";
}

/** Which containers are unfolded at first. */
export type Unfolded = "some" | "all" | "none";

interface ValueProps {
  readonly node: ValueNode;
  /** Undefined if the rest cannot be loaded. */
  readonly source?: ValueSource | undefined;
  readonly path?: readonly number[];
  readonly name?: string;
  readonly unfolded?: Unfolded;
  /** A text to mark, in lower case; what has it inside is unfolded. */
  readonly wanted?: string;
}

/** A value as a collapsible tree: exact numbers, instants, bytes as hexadecimal. */
export function ValueTree({
  node,
  source,
  path = [],
  name,
  unfolded = "some",
  wanted = "",
}: ValueProps): VNode {
  const shown = { source, path, name, unfolded, wanted };
  return "text" in node ? <Leaf node={node} {...shown} /> : <Container node={node} {...shown} />;
}

type OpenNode<Node> = {
  readonly node: Node;
  readonly source: ValueSource | undefined;
  readonly path: readonly number[];
  readonly name: string | undefined;
  readonly unfolded: Unfolded;
  readonly wanted: string;
};

function Container({ node, source, path, name, unfolded, wanted }: OpenNode<ContainerNode>): VNode {
  const [items, setItems] = useState(node.items);
  const { problem, attempt } = useAttempt();
  const [opening, closing] = node.kind === "list" || node.kind === "set" ? "[]" : "{}";
  const rest = node.size - items.length;
  const more = async () => {
    const query = { ...source, path: path.join("."), from: items.length };
    await attempt(async () => setItems([...items, ...(await get<ContainerNode>("value", query)).items]));
  };
  const label = (
    <>
      <Name name={name} wanted={wanted} />
      <span class="mark">{opening}</span>
      <small>
        {node.kind} of {countText(node.size)}
      </small>
      <span class="mark">{closing}</span>
    </>
  );
  if (node.size === 0) return <div class="leaf">{label}</div>;
  return (
    <details class="node" open={isUnfolded(node, path, unfolded, wanted)}>
      <summary>{label}</summary>
      <ul>
        {items.map((item) => (
          <li key={item.step}>
            <ValueTree
              node={item.node}
              source={source}
              path={[...path, item.step]}
              name={item.name}
              unfolded={unfolded}
              wanted={wanted}
            />
          </li>
        ))}
        {rest > 0 && source !== undefined ? (
          <li>
            <Action text={`${countText(rest)} more`} kind="link" onClick={more} />
          </li>
        ) : null}
        {problem === undefined ? null : <li class="problem">{problem}</li>}
      </ul>
    </details>
  );
}

function isUnfolded(
  node: ContainerNode,
  path: readonly number[],
  unfolded: Unfolded,
  wanted: string,
): boolean {
  if (wanted !== "") return has(node, wanted);
  if (unfolded === "some") return path.length < 2 && node.size <= 200;
  return unfolded === "all" || path.length === 0;
}

function has(node: ValueNode, wanted: string): boolean {
  if ("text" in node) return node.text.toLowerCase().includes(wanted);
  return node.items.some((item) => item.name.toLowerCase().includes(wanted) || has(item.node, wanted));
}

function Leaf({ node, source, path, name, wanted }: OpenNode<LeafNode>): VNode {
  const [whole, setWhole] = useState(node);
  const shown = whole.kind === "bytes" ? whole.text.length / 2 : whole.text.length;
  const isCut = whole.length !== undefined && shown < whole.length;
  const more = async () => {
    if (source !== undefined) setWhole(await get<LeafNode>("value", { ...source, path: path.join(".") }));
  };
  return (
    <div class="leaf">
      <Name name={name} wanted={wanted} />
      <span class={`value ${whole.kind}${isFound(whole.text, wanted) ? " found" : ""}`} title={whole.kind}>
        <Text>{whole.kind === "string" ? JSON.stringify(whole.text) : whole.text}</Text>
      </span>
      {whole.kind === "bytes" ? <small>{sizeText(whole.length ?? 0)}</small> : null}
      {whole.kind === "bigint" ? <small>64-bit</small> : null}
      {isCut ? (
        <button type="button" class="link" onClick={more} disabled={source === undefined || whole !== node}>
          … {whole === node ? "more" : `${countText(whole.length ?? 0)} in total`}
        </button>
      ) : null}
    </div>
  );
}

function isFound(text: string, wanted: string): boolean {
  return wanted !== "" && text.toLowerCase().includes(wanted);
}

function Name({
  name,
  wanted,
}: {
  readonly name: string | undefined;
  readonly wanted: string;
}): VNode | null {
  if (name === undefined) return null;
  return (
    <span class={isFound(name, wanted) ? "name found" : "name"}>
      <Text>{name}</Text>:
    </span>
  );
}
