import type { VNode } from "preact";
import { useMemo, useState } from "preact/hooks";
import { plural } from "../data/format.js";
import type { ValueNode } from "../data/types.js";
import { Action } from "./parts.js";
import { type Unfolded, type ValueSource, ValueTree } from "./value-view.js";

/** A value of at most this many parts is unfolded at first. */
const maxUnfolded = 60;

/** A value as a tree that can be folded and searched; a single leaf needs neither. */
export function ValueBrowser({
  node,
  source,
}: {
  readonly node: ValueNode;
  readonly source: ValueSource | undefined;
}): VNode {
  const [wanted, setWanted] = useState("");
  const [turn, setTurn] = useState(0);
  const [unfolded, setUnfolded] = useState<Unfolded>(sizeOf(node) <= maxUnfolded ? "all" : "some");
  const found = useMemo(() => (wanted === "" ? 0 : countIn(node, wanted.toLowerCase())), [node, wanted]);
  const fold = (how: Unfolded) => {
    setUnfolded(how);
    setTurn(turn + 1);
  };
  if ("text" in node || node.size === 0) return <ValueTree node={node} source={source} />;
  return (
    <section class="value-browser" aria-label="Value">
      <p class="actions">
        <input
          type="search"
          placeholder="Find in the value"
          aria-label="Find in the value"
          value={wanted}
          onInput={({ currentTarget }) => setWanted(currentTarget.value)}
        />
        <Action text="Unfold all" kind="quiet-button" onClick={() => fold("all")} />
        <Action text="Fold all" kind="quiet-button" onClick={() => fold("none")} />
        <span role="status" class="quiet">
          {wanted === "" ? "" : `${plural(found, "place")} in what is loaded`}
        </span>
      </p>
      <ValueTree
        key={`${turn} ${wanted}`}
        node={node}
        source={source}
        unfolded={unfolded}
        wanted={wanted.toLowerCase()}
      />
    </section>
  );
}

function sizeOf(node: ValueNode): number {
  return "text" in node ? 1 : node.items.reduce((sum, item) => sum + sizeOf(item.node), 1);
}

function countIn(node: ValueNode, wanted: string): number {
  if ("text" in node) return node.text.toLowerCase().includes(wanted) ? 1 : 0;
  return node.items.reduce(
    (sum, { name, node: item }) =>
      sum + (name.toLowerCase().includes(wanted) ? 1 : 0) + countIn(item, wanted),
    0,
  );
}
