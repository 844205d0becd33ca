import { createHash } from "node:crypto";
import type { Pipeline } from "@waybill/core";
import type { MessageVersion } from "@waybill/core/pipeline";
import { canonicalText } from "./canonical-text.js";

/** What a reader can read, as its beacon says. */
export interface ReaderCapability {
  /** The media types its serializers claim. */
  readonly mediaTypes: readonly string[];
  readonly messageTypes: readonly ReadableType[];
}

/** A message type that a reader can read. */
export interface ReadableType {
  readonly name: string;
  readonly versions: readonly ReadableVersion[];
}

/** A version of a message type that a reader can read. */
export interface ReadableVersion {
  readonly version: number;
  /** SHA-256 of its schema for each serializer, by name; serializers without a schema, or with a schema that is code, are left out. */
  readonly schemas: Readonly<Record<string, string>>;
}

/** What a pipeline can read. */
export function readerCapability({ serializers, messageTypes }: Pipeline): ReaderCapability {
  return {
    mediaTypes: serializers.flatMap(({ mediaTypes }) => [...mediaTypes]),
    messageTypes: messageTypes.map(({ name, versions }) => ({
      name,
      versions: versions.map((version) => ({ version: version.version, schemas: schemaDigests(version) })),
    })),
  };
}

/** The digests of a version's schemas, by serializer. */
export function schemaDigests({ schemas }: MessageVersion): Readonly<Record<string, string>> {
  const digests: Record<string, string> = {};
  for (const [serializer, schema] of Object.entries(schemas)) {
    const text = canonicalText(schema);
    if (text !== undefined) digests[serializer] = createHash("sha256").update(text).digest("hex");
  }
  return digests;
}
