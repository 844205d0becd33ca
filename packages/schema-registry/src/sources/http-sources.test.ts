import { createPipeline } from "@waybill/core";
import { avro } from "@waybill/serializer-avro";
import { describe, expect, it } from "vitest";
import { bytes, order, orderSchema, read } from "../order.test-support.js";
import { registryAvro } from "../serializers/registry-avro.js";
import { apicurioRegistry } from "./apicurio-registry.js";
import { azureSchemaRegistry } from "./azure-schema-registry.js";
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
    const pipeline = createPipeline({ serializer, readBack: false });
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

describe("ids from the wire", () => {
  const uuid = "89791762-2336-4186-9674-299b90a802e2";

  it.each(["..", "../../admin", "%2e%2e", "7/../8", "", "0", "-1", "x".repeat(200)])(
    "%j does not reach an address",
    async (id) => {
      const { fetch, asked } = fakeFetch({});
      const sources = [
        confluentSchemaRegistry({ url, fetch }),
        apicurioRegistry({ url, fetch }),
        glueSchemaRegistry({
          getSchemaVersion: async ({ SchemaVersionId }) => {
            asked.push(SchemaVersionId);
            return {};
          },
        }),
      ];
      for (const source of sources) expect(await source.schemaById(id, signal)).toBeUndefined();
      expect(asked).toEqual([]);
    },
  );

  it.each([400, 404, 410, 422])("are final if the registry answers with the status %i", async (status) => {
    const answer = [status, { error_code: status === 404 ? 40403 : status, status }] as const;
    const { fetch } = fakeFetch({
      "GET /schemas/ids/7": answer,
      [`GET /schemas/guids/${uuid}`]: [status, status === 404 ? { error_code: 40403 } : "no"],
      "GET /apis/registry/v3/ids/contentIds/7": [status, { error_code: status }],
    });
    expect(await confluentSchemaRegistry({ url, fetch }).schemaById("7", signal)).toBeUndefined();
    expect(await confluentSchemaRegistry({ url, fetch }).schemaById(uuid, signal)).toBeUndefined();
    expect(await apicurioRegistry({ url, fetch }).schemaById("7", signal)).toBeUndefined();
  });

  it.each([401, 403, 408, 429, 500, 503])("are read again later after the status %i", async (status) => {
    const { fetch } = fakeFetch({
      "GET /schemas/ids/7": [status, { error_code: status }],
      "GET /apis/registry/v3/ids/contentIds/7": [status, { error_code: status }],
    });
    await expect(confluentSchemaRegistry({ url, fetch }).schemaById("7", signal)).rejects.toThrow(
      `${status}`,
    );
    await expect(apicurioRegistry({ url, fetch }).schemaById("7", signal)).rejects.toThrow(`${status}`);
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

describe("azureSchemaRegistry", () => {
  /** A client that gets a status for every id. */
  function refusing(statusCode: number) {
    const asked: string[] = [];
    const refuse = async () => {
      throw Object.assign(new Error(`${statusCode}`), { statusCode });
    };
    const source = azureSchemaRegistry({
      getSchema: (id) => {
        asked.push(id);
        return refuse();
      },
      getSchemaProperties: refuse,
      registerSchema: refuse,
    });
    return { source, asked };
  }

  it.each(["..", ".", "../../admin", "%2e%2e", "7/../8", "", "x".repeat(200)])(
    "does not pass %j to the client, which would put it into an address",
    async (id) => {
      const { source, asked } = refusing(500);
      expect(await source.schemaById(id, signal)).toBeUndefined();
      expect(asked).toEqual([]);
    },
  );

  it.each([400, 404, 410, 422])("has no schema if the status is %i", async (status) => {
    expect(await refusing(status).source.schemaById("7", signal)).toBeUndefined();
  });

  it.each([401, 403, 408, 429, 500, 503])("is asked again later after the status %i", async (status) => {
    await expect(refusing(status).source.schemaById("7", signal)).rejects.toThrow(`${status}`);
  });
});

describe("glueSchemaRegistry", () => {
  it("reads by the version's UUID", async () => {
    const client = {
      getSchemaVersion: async ({ SchemaVersionId }: { SchemaVersionId: string }) => {
        const name = errors[SchemaVersionId];
        if (name === undefined) return { SchemaDefinition: definition, DataFormat: "AVRO" };
        throw Object.assign(new Error("no"), { name });
      },
    };
    const [known, missing, refused, throttled, forbidden] = ["a", "b", "c", "d", "e"].map(
      (digit) => `${digit.repeat(8)}-2336-4186-9674-299b90a802e2`,
    ) as [string, string, string, string, string];
    const errors: Readonly<Record<string, string>> = {
      [missing]: "EntityNotFoundException",
      [refused]: "InvalidInputException",
      [throttled]: "ThrottlingException",
      [forbidden]: "AccessDeniedException",
    };
    const source = glueSchemaRegistry(client);
    expect(await source.schemaById(known, signal)).toEqual({ definition, format: "avro" });
    for (const id of [missing, refused]) expect(await source.schemaById(id, signal)).toBeUndefined();
    for (const id of [throttled, forbidden])
      await expect(source.schemaById(id, signal)).rejects.toThrow("no");
  });
});
