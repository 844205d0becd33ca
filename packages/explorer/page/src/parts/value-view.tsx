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
  readonly readAs: string | undefined;
}

interface ValueProps {
  readonly node: ValueNode;
  /** Undefined if the rest cannot be loaded. */
  readonly source?: ValueSource | undefined;
  readonly path?: readonly number[];
  readonly name?: string;
}

/** A value as a collapsible tree: exact numbers, instants, bytes as hexadecimal. */
export function ValueTree({ node, source, path = [], name }: ValueProps): VNode {
  if ("text" in node) return <Leaf node={node} source={source} path={path} name={name} />;
  return <Container node={node} source={source} path={path} name={name} />;
}

type OpenNode<Node> = {
  readonly node: Node;
  readonly source: ValueSource | undefined;
  readonly path: readonly number[];
  readonly name: string | undefined;
};

function Container({ node, source, path, name }: OpenNode<ContainerNode>): VNode {
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
      <Name name={name} />
      <span class="mark">{opening}</span>
      <small>
        {node.kind} of {countText(node.size)}
      </small>
      <span class="mark">{closing}</span>
    </>
  );
  if (node.size === 0) return <div class="leaf">{label}</div>;
  return (
    <details class="node" open={path.length < 2 && node.size <= 200}>
      <summary>{label}</summary>
      <ul>
        {items.map((item) => (
          <li key={item.step}>
            <ValueTree node={item.node} source={source} path={[...path, item.step]} name={item.name} />
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

function Leaf({ node, source, path, name }: OpenNode<LeafNode>): VNode {
  const [whole, setWhole] = useState(node);
  const shown = whole.kind === "bytes" ? whole.text.length / 2 : whole.text.length;
  const isCut = whole.length !== undefined && shown < whole.length;
  const more = async () => {
    if (source !== undefined) setWhole(await get<LeafNode>("value", { ...source, path: path.join(".") }));
  };
  return (
    <div class="leaf">
      <Name name={name} />
      <span class={`value ${whole.kind}`} title={whole.kind}>
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

function Name({ name }: { readonly name: string | undefined }): VNode | null {
  if (name === undefined) return null;
  return (
    <span class="name">
      <Text>{name}</Text>:
    </span>
  );
}
