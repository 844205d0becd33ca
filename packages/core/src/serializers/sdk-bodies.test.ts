import { describe, expect, it } from "vitest";
import { createPipeline } from "../pipeline/pipeline.js";
import { plainJson } from "../plain-json.test-support.js";
import { sdkBodies } from "./sdk-bodies.js";

const encoder = new TextEncoder();
const pipeline = createPipeline({
  ...sdkBodies(),
  additionalDeserializers: [
    { ...plainJson, name: "next", mediaTypes: ["application/x-next"], detection: "label", leadingBytes: [] },
  ],
});

describe("sdkBodies", () => {
  it("leaves bodies whose content type an additional deserializer claims to that", () => {
    const body = encoder.encode("[1]");
    expect(pipeline.deserialize({ body, contentType: "application/x-next" })).toMatchObject({
      report: { serializer: "next" },
    });
    expect(pipeline.deserialize({ body, contentType: "text/plain" })).toMatchObject({
      body: [1],
      report: { serializer: "sdk", assumed: "sdk" },
    });
  });

  it("gives bytes of their own, which do not change with the message", () => {
    const body = Uint8Array.of(0xff, 1);
    const outcome = pipeline.deserialize({ body });
    body.fill(0);
    expect(outcome).toMatchObject({ status: "decoded", body: Buffer.from([0xff, 1]) });
  });

  it("refuses to write what JSON cannot hold, without quoting it", () => {
    expect(() => pipeline.serialize({ body: 4711n })).toThrow(
      /^\[serialization-failed\] sdk: The body cannot be written as JSON\.$/,
    );
  });
});
