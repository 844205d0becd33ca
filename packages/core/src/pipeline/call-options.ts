import type { EncodedMessage } from "../message/message.js";

/** Options of every call of a pipeline. */
export interface PipelineCallOptions {
  /** Passed to plug-ins; ends waiting for a serializer that reads, an upcaster, a downcaster or a claim-check store. Default: none. */
  readonly abortSignal?: AbortSignal | undefined;
}

/** What to write instead of the main serializer's format and the current version: for write plans, comparisons, transcoding. */
export interface WriteTarget {
  /** The name of a serializer of the pipeline. Takes precedence over the message's own `contentType`. */
  readonly serializer?: string | undefined;
  /** An older version of the message type that its downcasters lead to. */
  readonly version?: number | undefined;
}

/** Options of `serialize`. */
export interface SerializeCallOptions extends PipelineCallOptions {
  /** Default: the serializer for the message's `contentType`, else the main one, and the current version. */
  readonly writeAs?: WriteTarget | undefined;
  /** Whether the body is encrypted and stored as a claim check, if configured. Default true; false for bodies that are only compared. */
  readonly bodyTransforms?: boolean | undefined;
  /**
   * Whether the body is read back before it is returned, as a reader with this pipeline gets it. Default: as the pipeline's option `readBack`
   * says; `true` always, `false` never.
   */
  readonly readBack?: boolean | undefined;
  /** Called with the message before its body is encrypted or stored as a claim check. If it throws, the call fails. Default: none. */
  readonly onBeforeTransforms?: ((message: EncodedMessage) => void) | undefined;
}

/** How to read a body regardless of its properties, for comparisons and tools. Nothing else is tried. */
export interface ReadTarget {
  /** The name of a serializer of the pipeline. */
  readonly serializer?: string | undefined;
  /** Whether the body is read as if the content type named the serializer. Default true; if false, the serializer must recognise the bytes. */
  readonly isDeclared?: boolean | undefined;
  /** A version of the message's type. */
  readonly version?: number | undefined;
}

/** Options of `deserialize`. */
export interface DeserializeCallOptions extends PipelineCallOptions {
  /** Default: as the message's properties and the pipeline's policies say. */
  readonly readAs?: ReadTarget | undefined;
  /** Whether claim checks are fetched and bodies decrypted. Default true; false for bodies written with `bodyTransforms: false`. */
  readonly bodyTransforms?: boolean | undefined;
  /**
   * `"tightened"`: a tenth of `maxItems` and `maxBodyBytes`, but at least 32,768, for a message that may have crashed the process which read
   * it before. Default `"normal"`.
   */
  readonly limits?: "normal" | "tightened" | undefined;
  /** Whether the report says how long reading took. Default false: reading the clock takes as long as reading a small body. */
  readonly isTimed?: boolean | undefined;
}
