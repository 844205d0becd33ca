import assert from "node:assert/strict";
import { parseMediaType } from "@waybill/core/serializer";
import type { Case } from "../case.js";
import { serializerCase } from "./harness.js";
import type { SerializerSubject } from "./serializer-subject.js";
import { quicklyWritten } from "./written.js";

/** The properties of the plug-in: name, media types, and how it recognises its bytes. */
export function contractCases(subject: SerializerSubject): Case[] {
  const testCase = serializerCase(subject, "contract");
  return [
    testCase("has a name", async ({ name }) => {
      assert.match(name, /^[a-z0-9][a-z0-9.+-]{0,63}$/, "the name is short, in lower case");
    }),
    testCase("has media types in lower case, without parameters and duplicates", async ({ mediaTypes }) => {
      assert.ok(mediaTypes.length > 0, "there is at least one media type");
      assert.equal(new Set(mediaTypes).size, mediaTypes.length, "no media type is a duplicate");
      for (const type of mediaTypes)
        assert.match(type, /^(?:[a-z0-9!#$&^_.+-]+\/[a-z0-9!#$&^_.+-]+|\+[a-z0-9.-]+)$/);
      assert.ok(mediaTypes[0]?.includes("/"), "the first media type, which it writes, is not a suffix");
    }),
    testCase("declares its detection and its leading bytes", async (serializer) => {
      const { detection, leadingBytes } = serializer;
      assert.ok(
        ["magic", "structure", "label"].includes(detection),
        "the detection is magic, structure or label",
      );
      if (detection === "label")
        return assert.equal(leadingBytes, undefined, "a serializer without detection has no leading bytes");
      assert.ok(leadingBytes !== undefined && leadingBytes.length > 0, "it has leading bytes");
      assert.equal(new Set(leadingBytes).size, leadingBytes.length, "no leading byte is a duplicate");
      for (const byte of leadingBytes) assert.ok(Number.isInteger(byte) && byte >= 0 && byte <= 255);
    }),
    testCase("writes one of its media types", async (serializer) => {
      for await (const { name, contentType } of quicklyWritten(serializer, subject)) {
        const mediaType = parseMediaType(contentType);
        assert.ok(
          serializer.mediaTypes.some((type) => type === mediaType?.essence || type === mediaType?.suffix),
          `${name} is written as "${contentType}", which is not a media type of ${serializer.name}`,
        );
      }
    }),
    testCase("does not say that it cannot write what it writes", async (serializer) => {
      for await (const { name, message } of quicklyWritten(serializer, subject)) {
        for (const messageType of [message?.messageType, undefined]) {
          const reason = serializer.cannotWrite?.({ messageType });
          assert.equal(reason, undefined, `cannotWrite has a reason for ${name}, which is written`);
        }
      }
    }),
    testCase("the subject has a container that is not empty", async (serializer) => {
      if (subject.isUnframed === true) return;
      for await (const { isContainer, isEmptyContainer } of quicklyWritten(serializer, subject))
        if (isContainer && !isEmptyContainer) return;
      assert.fail("no value is a container that is not empty");
    }),
  ];
}
