import assert from "node:assert/strict";
import type { Serializer } from "@waybill/core";
import type { Case } from "../case.js";
import { messageSetting, readRefused } from "./harness.js";
import type { SerializerSubject } from "./serializer-subject.js";
import { quicklyWritten } from "./written.js";

/**
 * The conformance suite for serializers that share a pipeline: no two have the same media type or leading byte, and none reads an undeclared body
 * of another.
 */
export function chainCases(subjects: readonly SerializerSubject[]): Case[] {
  return [
    {
      name: "chain: no two serializers share a name, a media type or a leading byte",
      async run() {
        const serializers = await Promise.all(subjects.map((subject) => subject.create()));
        assertDisjoint("a name", serializers, ({ name }) => name);
        assertDisjoint("a media type", serializers, ({ mediaTypes }) => mediaTypes);
        assertDisjoint("a leading byte", serializers, ({ leadingBytes = [] }) => leadingBytes);
      },
    },
    {
      name: "chain: no serializer reads undeclared bodies of another",
      async run() {
        for (const writer of subjects)
          for (const reader of subjects) if (reader !== writer) await refuseAll(writer, reader);
      },
    },
  ];
}

async function refuseAll(writer: SerializerSubject, reader: SerializerSubject): Promise<void> {
  const from = await writer.create();
  const to = await reader.create();
  for await (const { bytes, name } of quicklyWritten(from, writer)) {
    const offer = { bytes, isDeclared: false, message: messageSetting(reader) };
    await readRefused(to, offer, `${name} as ${from.name} writes it, offered to ${to.name},`);
  }
}

function assertDisjoint(
  what: string,
  serializers: readonly Serializer[],
  claims: (serializer: Serializer) => string | readonly (string | number)[],
): void {
  const all = serializers.flatMap(claims);
  assert.equal(new Set(all).size, all.length, `two serializers share ${what}`);
}
