import { createPipeline, type DeserializationOutcome, type EncodedMessage } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { dotnetBinary } from "./dotnet-serializer.js";

const items = { "empty byte strings": new Uint8Array(), "byte strings": new Uint8Array([1, 2, 3, 4]) };

describe.each(Object.entries(items))("a list of %s", (_, item) => {
  it("is written up to the limit on items, with each counting as four, and is read again", () => {
    const pipeline = createPipeline({ serializer: dotnetBinary(), maxItems: 4_000 });
    const write = (count: number) =>
      pipeline.serialize({ body: new Array(count).fill(item) }) as EncodedMessage;
    const outcome = pipeline.deserialize(write(1_000)) as DeserializationOutcome;
    expect(outcome.status === "decoded" && outcome.body).toHaveLength(1_000);
    expect(() => write(1_001)).toThrow("items");
  });
});
