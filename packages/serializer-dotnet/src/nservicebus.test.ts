import { createPipeline, type DeserializationOutcome, text } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { describe, expect, it } from "vitest";
import { dotnetBinary } from "./dotnet-serializer.js";
import { readBytes } from "./fixtures.test-support.js";

const body = readBytes("legacy/bytes-json-1014.bin");
const applicationProperties = { "NServiceBus.Transport.Encoding": "wcf/byte-array" };

describe("a body that NServiceBus declares as wcf/byte-array", () => {
  it("is read by its content type, at the first attempt", async () => {
    const pipeline = createPipeline({ serializer: json(), additionalDeserializers: [dotnetBinary()] });
    const outcome = await pipeline.deserialize({
      body,
      contentType: "application/json; charset=utf-8",
      applicationProperties,
    });
    expect(outcome).toMatchObject({
      status: "decoded",
      report: { serializer: "dotnet-binary", declared: "dotnet-binary", attempts: [] },
    });
    expect(typeof (outcome as { body: unknown }).body).toBe("object");
  });

  it("is read by one of contents, if the content type selects it", async () => {
    const pipeline = createPipeline({ serializer: dotnetBinary({ contents: [text()] }) });
    const outcome = await pipeline.deserialize({ body, contentType: "text/plain", applicationProperties });
    expect(outcome).toMatchObject({ status: "decoded", body: expect.stringContaining("{") });
  });

  it("is returned as bytes without a content type", async () => {
    const pipeline = createPipeline({ serializer: dotnetBinary() });
    const outcome = (await pipeline.deserialize({ body, applicationProperties })) as DeserializationOutcome;
    expect((outcome as { body: unknown }).body).toBeInstanceOf(Uint8Array);
  });

  it("is refused if it is not a byte array", async () => {
    const pipeline = createPipeline({ serializer: dotnetBinary({ json: true }) });
    const outcome = await pipeline.deserialize({
      body: readBytes("legacy/list-string.bin"),
      applicationProperties,
    });
    expect(outcome).toMatchObject({
      status: "undeserializable",
      report: { attempts: [{ reason: "malformed" }] },
    });
  });
});
