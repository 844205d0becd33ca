import { createPipeline } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { describe, expect, it } from "vitest";
import { bytes, order, orderSchema, read } from "../order.test-support.js";
import { registryAvro } from "../serializers/registry-avro.js";
import { apicurioRegistry } from "./apicurio-registry.js";
import { confluentSchemaRegistry } from "./confluent-schema-registry.js";
import { glueSchemaRegistry } from "./glue-schema-registry.js";

const url = "https://registry.test/base/";
const definition = JSON.stringify(orderSchema);
const { signal } = new AbortController();

/** Responses by method and path; other requests get a 404 of a gateway. */
function fakeFetch(
  answers: Readonly<
    Record<string, readonly [status: number, body: unknown, headers?: Record<string, string>]>
  >,
) {
  const asked: string[] = [];
  const fetch = async (input: string | URL | Request, init?: RequestInit) => {
    const path = `${init?.method} ${String(input).replace("https://registry.test/base", "")}`;
    asked.push(path);
    const [status, body, headers] = answers[path] ?? [404, "<html>nginx</html>"];
    return new Response(
      typeof body === "string" ? body : JSON.stringify(body),
      headers === undefined ? { status } : { status, headers },
    );
  };
  return { fetch: fetch as typeof globalThis.fetch, asked };
}

describe("confluentSchemaRegistry", () => {
  it("reads by id, with referenced schemas", async () => {
    const outer = {
      type: "record",
      name: "Placed",
      namespace: "shop",
      fields: [
        { name: "order", type: "Order" },
        { name: "again", type: "shop.Order" },
      ],
    };
    const { fetch } = fakeFetch({
      "GET /schemas/ids/7": [
        200,
        { schema: JSON.stringify(outer), references: [{ name: "shop.Order", subject: "order", version: 2 }] },
      ],
      "GET /subjects/order/versions/2": [200, { schema: definition }],
    });
    const pipeline = createPipeline({
      serializer: registryAvro(avro, { source: confluentSchemaRegistry({ url, fetch }) }),
    });
    const body = bytes("00 00000007", Uint8Array.from([...bytes(""), ...bytes("")]));
    expect(await read(pipeline, { body })).toMatchObject({ body: { order, again: order } });
  });

  it("treats a schema as missing only if the registry itself reports it", async () => {
    const { fetch } = fakeFetch({
      "GET /schemas/ids/7": [404, { error_code: 40403, message: "Schema not found" }],
      "GET /schemas/ids/9": [200, "<html>sign in</html>"],
      "GET /schemas/ids/10": [503, ""],
      "GET /schemas/ids/11": [401, { error_code: 40101 }],
    });
    const pipeline = createPipeline({
      serializer: registryAvro(avro, { source: confluentSchemaRegistry({ url, fetch }) }),
    });
    const status = async (id: string) => (await read(pipeline, { body: bytes(`00 000000${id}`) })).status;
    expect(await status("07")).toBe("undeserializable");
    for (const id of ["08", "09", "0a", "0b"]) expect(await status(id)).toBe("unavailable");
  });

  it("looks up and registers schemas, after checking their compatibility", async () => {
    const { fetch, asked } = fakeFetch({
      "POST /compatibility/subjects/orders-value/versions/latest": [200, { is_compatible: true }],
      "POST /subjects/orders-value/versions?normalize=true": [
        200,
        { id: 7, guid: "89791762-2336-4186-9674-299b90a802e2" },
      ],
    });
    const source = confluentSchemaRegistry({ url, fetch });
    const serializer = registryAvro(avro, {
      source,
      schema: orderSchema,
      subject: () => "orders-value",
      writes: "register",
      checkCompatibility: true,
    });
    const pipeline = createPipeline({ serializer });
    for (let count = 0; count < 2; count++)
      expect((await pipeline.serialize({ body: order })).body).toEqual(bytes("00 00000007"));
    expect(asked).toHaveLength(2);
  });

  it("does not send with a schema that is not compatible", async () => {
    const { fetch } = fakeFetch({
      "POST /compatibility/subjects/shop.Order/versions/latest": [200, { is_compatible: false }],
    });
    const serializer = registryAvro(avro, {
      source: confluentSchemaRegistry({ url, fetch }),
      schema: orderSchema,
      checkCompatibility: true,
    });
    await expect(createPipeline({ serializer }).serialize({ body: order })).rejects.toThrow(
      "is not compatible",
    );
  });

  it("fails a send with unavailable while the registry is unavailable", async () => {
    const { fetch } = fakeFetch({});
    const serializer = registryAvro(avro, {
      source: confluentSchemaRegistry({ url, fetch }),
      schema: orderSchema,
    });
    await expect(createPipeline({ serializer }).serialize({ body: order })).rejects.toMatchObject({
      code: "unavailable",
      retryable: true,
    });
  });

  it("refuses addresses that are not HTTP", () => {
    expect(() => confluentSchemaRegistry({ url: "file:///etc/passwd" })).toThrow("http or https");
  });
});

describe("apicurioRegistry", () => {
  it("reads by content id and by global id", async () => {
    const { fetch } = fakeFetch({
      "GET /apis/registry/v3/ids/contentIds/7": [200, definition, { "x-registry-artifacttype": "AVRO" }],
      "GET /apis/registry/v3/ids/globalIds/9": [200, definition],
      "GET /apis/registry/v3/ids/contentIds/8": [404, { error_code: 404, name: "ContentNotFoundException" }],
    });
    const source = apicurioRegistry({ url, fetch });
    expect(await source.schemaById("7", signal)).toEqual({ definition, format: "avro" });
    expect(await source.schemaById("globalId:9", signal)).toEqual({ definition, format: undefined });
    expect(await source.schemaById("8", signal)).toBeUndefined();
    await expect(source.schemaById("10", signal)).rejects.toThrow("404");
  });
});

describe("glueSchemaRegistry", () => {
  it("reads by the version's UUID", async () => {
    const client = {
      getSchemaVersion: async ({ SchemaVersionId }: { SchemaVersionId: string }) => {
        if (SchemaVersionId === "a") return { SchemaDefinition: definition, DataFormat: "AVRO" };
        throw Object.assign(new Error("no"), {
          name: SchemaVersionId === "b" ? "EntityNotFoundException" : "ThrottlingException",
        });
      },
    };
    const source = glueSchemaRegistry(client);
    expect(await source.schemaById("a", signal)).toEqual({ definition, format: "avro" });
    expect(await source.schemaById("b", signal)).toBeUndefined();
    await expect(source.schemaById("c", signal)).rejects.toThrow("no");
  });
});
