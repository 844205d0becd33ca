import { existsSync } from "node:fs";
import { createPipeline, type DeserializationOutcome, type WaybillError } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { type DotnetOptions, dotnetBinary } from "./dotnet-serializer.js";
import { legacyBodies, malformedBodies, readBytes, readExpected } from "./fixtures.test-support.js";

const label = "application/msbin1";

async function read(
  body: Uint8Array,
  options: DotnetOptions = {},
  contentType?: string,
): Promise<DeserializationOutcome> {
  return await createPipeline({ serializer: dotnetBinary(options) }).deserialize({ body, contentType });
}

async function readValue(
  body: Uint8Array,
  options: DotnetOptions = {},
  contentType: string | undefined = label,
) {
  const outcome = await read(body, options, contentType);
  if (outcome.status !== "decoded") throw new Error(JSON.stringify(outcome.report.attempts));
  return outcome.body;
}

function hasFixture(path: string): boolean {
  return existsSync(new URL(`../fixtures/${path}`, import.meta.url));
}

/** 100,000 nested elements, which would be a large file. */
function nested(name: string): Uint8Array {
  const start = new Uint8Array(300_000).map((_, index) => [0x40, 0x01, 0x61][index % 3] as number);
  return name === "deep-100k-open" ? start : Uint8Array.from([...start, ...new Uint8Array(100_000).fill(1)]);
}

/** Milliseconds of the fastest run, which is the least affected by other processes. */
async function fastestOf(runs: number, work: () => Promise<unknown>): Promise<number> {
  let fastestMs = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = process.cpuUsage();
    await work();
    fastestMs = Math.min(fastestMs, process.cpuUsage(start).user / 1_000);
  }
  return fastestMs;
}

describe("bodies that .NET wrote", () => {
  it("are 43", () => expect(legacyBodies).toHaveLength(43));

  it.each(legacyBodies)("$name is read as the expected value", async ({ name }) => {
    expect(await readValue(readBytes(`legacy/${name}.bin`))).toEqual(
      readExpected(`legacy/${name}.expected.json`),
    );
  });

  it.each(legacyBodies.filter(({ name }) => hasFixture(`legacy/${name}.iso.json`)))(
    "$name with dates as strings keeps every digit and offset",
    async ({ name }) => {
      const value = await readValue(readBytes(`legacy/${name}.bin`), { dates: "iso" });
      expect(value).toEqual(readExpected(`legacy/${name}.iso.json`));
    },
  );

  it.each(legacyBodies.filter(({ name }) => !name.startsWith("hand-")))(
    "$name is recognised without a content type",
    async ({ name }) => {
      const outcome = await read(readBytes(`legacy/${name}.bin`), {}, undefined);
      expect(outcome.status).toBe("decoded");
    },
  );

  it("are refused if they are truncated anywhere", async () => {
    for (const { name } of legacyBodies) {
      const body = readBytes(`legacy/${name}.bin`);
      const step = Math.max(1, Math.floor(body.length / 400));
      for (let length = 0; length < body.length; length += step) {
        const outcome = await read(body.subarray(0, length), {}, label);
        if (outcome.status === "decoded" && length > 0)
          throw new Error(`${name} was read from ${length} bytes.`);
      }
    }
  });
});

describe("hints", () => {
  it("declare lists of one object, strings of digits, dictionaries and characters", async () => {
    const order = await readValue(readBytes("legacy/poco-order-ambiguous.bin"), {
      hints: { OrderId: "string", Lines: "array", "Lines.Sku": "string" },
    });
    expect(order).toEqual(readExpected("legacy/poco-order-ambiguous.typed.json"));

    expect(
      await readValue(readBytes("legacy/poco-dictionaries.bin"), { hints: { Empty: "dictionary" } }),
    ).toEqual(readExpected("legacy/poco-dictionaries.typed.json"));
    expect(
      await readValue(readBytes("legacy/poco-all-primitives.bin"), {
        hints: { ULong: "unsignedLong", Char: "char", StringZero: "string" },
      }),
    ).toEqual(readExpected("legacy/poco-all-primitives.typed.json"));
  });

  it("must be known", () => {
    expect(() => dotnetBinary({ hints: { Lines: "list" as "array" } })).toThrow(
      'dotnetBinary: the hint at "Lines" must be "array", "dictionary" or one of string,',
    );
  });
});

describe("malformed bodies", () => {
  it.each(malformedBodies)("$name: $why", async ({ name, category }) => {
    const body = hasFixture(`malformed/${name}.bin`) ? readBytes(`malformed/${name}.bin`) : nested(name);
    const outcome = await read(body, {}, label);
    expect(await fastestOf(5, () => read(body, {}, label))).toBeLessThan(50);
    if (name === "empty-input") return; // A message without a body is not a .NET body: the pipeline handles it.
    expect(outcome, category).toMatchObject({ status: "undeserializable" });
    const reasons = outcome.report.attempts.map(({ reason }) => reason);
    expect(reasons).not.toContain("serializer-fault");
  });

  it.each(["deep-100k-open", "deep-100k-closed"])("%s does not overflow the stack", async (name) => {
    expect(await read(nested(name), {}, label)).toMatchObject({
      report: { attempts: [{ reason: "depth-exceeded" }] },
    });
  });

  it("can be damaged: a changed byte results in a value or a refusal with a reason", async () => {
    let random = 20_261_122;
    const next = (below: number) => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0;
      return (random >>> 8) % below;
    };
    for (const { name } of legacyBodies.filter(({ name }) => !name.includes("70000"))) {
      const body = readBytes(`legacy/${name}.bin`);
      for (let round = 0; round < 60; round++) {
        const damaged = Uint8Array.from(body);
        for (let changes = 0; changes <= round % 3; changes++) damaged[next(damaged.length)] = next(256);
        const { report } = await read(damaged, {}, label);
        expect(report.attempts.map(({ reason }) => reason)).not.toContain("serializer-fault");
      }
    }
  });
});

describe("json: true", () => {
  const order = { id: 9_007_199_254_740_993n, lines: [{ sku: "é" }] };

  it("reads JSON from a string or bytes, with exact integers", async () => {
    const text = await readValue(readBytes("legacy/string-json.bin"));
    expect(await readValue(readBytes("legacy/string-json.bin"), { json: true })).toEqual(
      JSON.parse(String(text)),
    );
    expect(await readValue(readBytes("legacy/bytes-json-1014.bin"), { json: true })).toEqual(
      JSON.parse(
        Buffer.from((await readValue(readBytes("legacy/bytes-json-1014.bin"))) as Uint8Array).toString(),
      ),
    );
  });

  it("does not change other strings and bytes", async () => {
    expect(await readValue(readBytes("legacy/string-hello.bin"), { json: true })).toBe("hello");
    expect(await readValue(readBytes("legacy/bytes-3.bin"), { json: true })).toEqual(
      readExpected("legacy/bytes-3.expected.json"),
    );
  });

  it("writes JSON as a string that .NET reads with GetBody<string>()", async () => {
    const pipeline = createPipeline({ serializer: dotnetBinary({ json: true }) });
    const message = await pipeline.serialize({ body: { id: 1, text: "grüße" } });
    expect(await readValue(message.body as Uint8Array)).toBe('{"id":1,"text":"grüße"}');
    expect(await pipeline.deserialize(message)).toMatchObject({ body: { id: 1, text: "grüße" } });
  });

  it("refuses JSON that is cut off", async () => {
    const broken = await createPipeline({ serializer: dotnetBinary() }).serialize({ body: '{"id":' });
    expect(await read(broken.body as Uint8Array, { json: true }, label)).toMatchObject({
      status: "undeserializable",
      report: { attempts: [{ serializer: "dotnet-binary", reason: "truncated" }] },
    });
  });

  it("uses a custom JSON serializer", async () => {
    expect(order.id).toBeTypeOf("bigint");
    expect(() => dotnetBinary({ json: "yes" as unknown as boolean })).toThrow(
      "dotnetBinary: json must be a boolean or a JSON serializer.",
    );
  });
});

describe("writing for .NET", () => {
  const contoso = "http://schemas.datacontract.org/2004/07/Contoso.Orders";
  const write = async (options: DotnetOptions, body: unknown) =>
    (await createPipeline({ serializer: dotnetBinary(options) }).serialize({ body })).body as Uint8Array;

  it.each([
    "string-hello",
    "string-zero",
    "string-empty",
    "string-japanese",
    "string-json",
    "bytes-3",
    "bytes-4",
    "bytes-empty",
    "int-minus-129",
    "long-2p53-plus-1",
  ])("%s is written byte for byte like .NET", async (name) => {
    const fixture = readBytes(`legacy/${name}.bin`);
    expect(await write({}, await readValue(fixture))).toEqual(fixture);
  });

  it("an object of a contract is written byte for byte like .NET", async () => {
    const simple = readBytes("legacy/poco-simple.bin");
    const contract = {
      name: "SimpleOrder",
      namespace: contoso,
      members: { Id: "string", Quantity: "int", Weight: "double", Express: "boolean" },
    } as const;
    expect(await write({ contract }, await readValue(simple))).toEqual(simple);
  });

  it("nested contracts, lists and namespaces are written byte for byte like .NET", async () => {
    const order = readBytes("legacy/poco-order.bin");
    const line = {
      name: "OrderLine",
      namespace: contoso,
      members: { Sku: "string", Quantity: "int", UnitPrice: "decimal" },
    } as const;
    const address = {
      name: "Address",
      namespace: "http://contoso.com/crm",
      members: { City: "string", Street: "string", Zip: "string" },
    } as const;
    const contract = {
      name: "Order",
      namespace: contoso,
      memberOrder: "as-listed",
      members: {
        OrderId: "string",
        CustomerNumber: "int",
        Total: "decimal",
        Paid: "boolean",
        Status: "string",
        PlacedAt: "dateTime",
        Notes: "string",
        Lines: { arrayOf: line },
        ShipTo: address,
        Tags: { arrayOf: "string" },
      },
    } as const;
    expect(await write({ contract }, await readValue(order))).toEqual(order);
  });

  it("reports what a contract cannot represent, without the value", async () => {
    const contract = { name: "Order", namespace: contoso, members: { Id: "int" } } as const;
    await expect(write({ contract }, { Id: "secret" })).rejects.toThrow(
      "The body cannot be written as .NET binary XML: at /Id is a value that .NET's type int cannot represent.",
    );
    await expect(write({ contract }, { Id: 1, Ids: 2 })).rejects.toThrow(
      "at /Ids is a member that the contract Order does not have",
    );
    await expect(write({ contract }, { Id: 2 ** 31 })).rejects.toMatchObject({
      code: "serialization-failed",
    } satisfies Partial<WaybillError>);
  });
});
