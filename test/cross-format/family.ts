/** Bodies of one format. */
export interface Family {
  readonly format: string;
  /** Whether its bodies are also well-formed in a format of the chain, so that no reader could distinguish them. */
  readonly mayBeTaken?: true;
  readonly bodies: readonly Body[];
}

/** One body. */
export interface Body {
  readonly bytes: Uint8Array;
  /** Its value, if it is of one of the chain's formats; no deserializer may read another value. */
  readonly meaning?: { readonly format: ChainFormat; readonly value: unknown };
  /** Whether it is legal only when its content type names the format: a scalar, an empty container. */
  readonly needsLabel?: true;
}

/** The formats that the chain reads. */
export type ChainFormat = "json" | "avro" | "msgpack" | "cbor" | "protobuf" | "dotnet-binary" | "xml";

export function meaning(format: ChainFormat, bytes: Uint8Array, value: unknown): Body {
  return { bytes, meaning: { format, value } };
}

export function labelled(format: ChainFormat, bytes: Uint8Array, value: unknown): Body {
  return { bytes, meaning: { format, value }, needsLabel: true };
}

export function plain(bodies: readonly Uint8Array[]): Body[] {
  return bodies.map((bytes) => ({ bytes }));
}

export function truncated(bodies: readonly Uint8Array[]): Uint8Array[] {
  return bodies
    .filter(({ length }) => length > 1)
    .flatMap((bytes) => {
      const cuts = new Set([1, bytes.length >> 2, bytes.length >> 1, bytes.length - 1]);
      return [...cuts].filter((cut) => cut > 0).map((cut) => bytes.subarray(0, cut));
    });
}

export function copied(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes);
}
