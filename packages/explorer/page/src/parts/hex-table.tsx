import type { VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { get } from "../data/api.js";
import { countText, sizeText } from "../data/format.js";
import type { HexView } from "../data/types.js";
import { Action } from "./parts.js";

interface HexTableProps {
  readonly hex: HexView;
  /** The message to load further bytes from; undefined if there is none. */
  readonly source?: { readonly entity: string; readonly number: string };
}

const pieceBytes = 2_048;

/** Bytes in rows of sixteen, with a mark at the byte where reading failed. */
export function HexTable({ hex: initial, source }: HexTableProps): VNode {
  const [hex, setHex] = useState(initial);
  useEffect(() => setHex(initial), [initial]);
  const bytes = hex.hex.match(/../g) ?? [];
  const rows = Array.from({ length: Math.ceil(bytes.length / 16) }, (_, row) =>
    bytes.slice(row * 16, row * 16 + 16),
  );
  const turn = async (from: number) => {
    if (source === undefined) return;
    const piece = await get<HexView>("hex", { ...source, from: Math.max(0, from), length: pieceBytes });
    setHex({ ...piece, offset: initial.offset });
  };
  const end = hex.from + bytes.length;
  return (
    <section class="hex" aria-label="Bytes of the body">
      <p>
        {bytes.length === 0
          ? "No bytes."
          : `Bytes ${countText(hex.from)} to ${countText(end - 1)} of ${sizeText(hex.bytes)}`}
        {hex.offset === undefined ? null : <strong class="bad"> · failed at offset {hex.offset}</strong>}{" "}
        {hex.from > 0 ? (
          <Action text="earlier" kind="link" onClick={() => turn(hex.from - pieceBytes)} />
        ) : null}{" "}
        {end < hex.bytes && source !== undefined ? (
          <Action text="later" kind="link" onClick={() => turn(end)} />
        ) : null}
      </p>
      <pre tabIndex={0}>
        {rows.map((row, index) => (
          <HexRow key={index} from={hex.from + index * 16} bytes={row} offset={hex.offset} />
        ))}
        {hex.offset === hex.bytes && end === hex.bytes ? (
          <mark title={`offset ${hex.offset}`}>the body ends here</mark>
        ) : null}
      </pre>
    </section>
  );
}

function HexRow({
  from,
  bytes,
  offset,
}: {
  from: number;
  bytes: readonly string[];
  offset: number | undefined;
}): VNode {
  const marked = (index: number, text: string) =>
    from + index === offset ? (
      <mark key={index} title={`offset ${offset}`}>
        {text}
      </mark>
    ) : (
      text
    );
  const gap = "   ".repeat(16 - bytes.length);
  return (
    <>
      <span class="address">{from.toString(16).padStart(8, "0")}</span>
      {"  "}
      {bytes.map((byte, index) => [marked(index, byte), " "])}
      {gap} {bytes.map((byte, index) => marked(index, letter(byte)))}
      {"\n"}
    </>
  );
}

function letter(byte: string): string {
  const code = Number.parseInt(byte, 16);
  return code >= 0x20 && code < 0x7f ? String.fromCharCode(code) : "·";
}
