import type { Serializer } from "@waybill/core";
import { decodeFailure } from "@waybill/core/serializer";
import { describe, expect, it } from "vitest";
import { chainCases } from "./chain-cases.js";
import type { SerializerSubject } from "./serializer-subject.js";
import { decode, encode, strictJson, strictJsonSubject } from "./strict-json.test-support.js";

describe("chainCases", () => {
  describe("passes serializers that recognise only their own bodies", () => {
    for (const { name, run } of chainCases([strictJsonSubject(), prefixed()])) it(name, run);
  });

  it("catches two serializers that claim one media type", async () => {
    const [claims] = chainCases([strictJsonSubject(), prefixed({ mediaTypes: ["application/json"] })]);
    await expect(claims!.run()).rejects.toThrow("two serializers share a media type");
  });

  it("catches two serializers that claim one leading byte", async () => {
    const [claims] = chainCases([strictJsonSubject(), prefixed({ leadingBytes: [0x21, 0x7b] })]);
    await expect(claims!.run()).rejects.toThrow("two serializers share a leading byte");
  });

  it("catches two serializers of one name", async () => {
    const [claims] = chainCases([strictJsonSubject(), prefixed({ name: "json" })]);
    await expect(claims!.run()).rejects.toThrow("two serializers share a name");
  });

  it("catches a serializer that reads another's bodies", async () => {
    const greedy = prefixed({ deserialize: (bytes) => JSON.parse(decode(bytes).replace(/^!/, "")) });
    const [, bodies] = chainCases([strictJsonSubject(), greedy]);
    await expect(bodies!.run()).rejects.toThrow(
      "as json writes it, offered to exclaimed, was read as a value",
    );
  });
});

/** JSON after an exclamation mark, with some of its members replaced. */
function prefixed(members: Partial<Serializer> = {}): SerializerSubject {
  const json = strictJson();
  const exclaimed: Serializer = {
    ...json,
    name: "exclaimed",
    mediaTypes: ["application/x-exclaimed"],
    detection: "magic",
    leadingBytes: [0x21],
    serialize: (value, context) => ({ bytes: encode(`!${decode(json.serialize(value, context).bytes)}`) }),
    deserialize(bytes, context) {
      if (bytes[0] !== 0x21) throw decodeFailure("not-recognized", "no exclamation mark");
      return json.deserialize(bytes.subarray(1), { ...context, isDeclared: true });
    },
    ...members,
  };
  return strictJsonSubject(() => exclaimed);
}
