import { createPipeline, defineMessage, type Pipeline, type Serializer, WaybillError } from "@waybill/core";
import { decodeFailure, unavailableFailure } from "@waybill/core/serializer";
import { avro } from "@waybill/serializer-avro";
import { cbor } from "@waybill/serializer-cbor";
import { json } from "@waybill/serializer-json";
import { jsonSchema } from "@waybill/serializer-json/json-schema";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { contractOf } from "../../contract.js";
import { Candidates } from "./candidates.js";
import { type SideOfTrial, tryForm } from "./try-form.js";

const text = { type: "string" };
const order = (properties: object) => {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
};

function chain(serializer: Serializer, schemas: object, more: object = {}): Pipeline {
  const messageTypes = [defineMessage("a", { version: 1, schemas: { 1: schemas }, ...more } as never)];
  return createPipeline({ serializer, messageTypes, readBack: false });
}

/** A service with its chain. */
function withChain(pipeline: Pipeline): SideOfTrial {
  return { ...described(pipeline), pipeline };
}

/** A service of which only its contract is known. */
function described(pipeline: Pipeline): SideOfTrial {
  const contract = contractOf(pipeline, { service: "orders" });
  return { contract, type: contract.messageTypes[0]! };
}

function tried(writer: SideOfTrial, reader: SideOfTrial, serializer = "json", version = 1) {
  const workshop = writer.pipeline ?? reader.pipeline ?? chain(json(), {});
  const options = { workshop, writesOnlyDeclared: true, candidates: new Candidates() };
  return tryForm(writer, reader, { version, serializer }, options);
}

/** A serializer that delivers something else than it was given. */
function delivering(serializer: Serializer, deserialize: Serializer["deserialize"]): Serializer {
  return { ...serializer, serialize: serializer.serialize.bind(serializer), deserialize };
}

describe("no value is tried", () => {
  const own = withChain(chain(json(), { json: text }));

  it("of a version that the writer's contract does not describe", async () => {
    expect(await tried(own, own, "json", 2)).toEqual({
      tried: 0,
      note: "the contract does not describe the version",
    });
  });

  it("without a schema", async () => {
    const bare = withChain(chain(json(), {}));
    expect(await tried(bare, bare)).toEqual({
      tried: 0,
      note: "there is no schema from which values can be made",
    });
  });

  it("if the writer cannot be made from its contract", async () => {
    const { contract, type } = described(chain(json(), { json: text }));
    const writer = { type, contract: { ...contract, serializers: [] } };
    expect(await tried(writer, own)).toEqual({
      tried: 0,
      note: "the writer cannot be made from its contract: The serializer json cannot be rebuilt from the contract.",
    });
  });

  it("that the writer does not write", async () => {
    const refusing: Serializer = {
      ...json(),
      serialize() {
        throw new WaybillError("serialization-failed", "Never.");
      },
    };
    expect(await tried(withChain(chain(refusing, { json: text })), own)).toEqual({
      tried: 0,
      note: "the writer writes none of the values that were made",
    });
  });
});

describe("a value fails", () => {
  const writer = described(chain(json(), { json: text }));
  const readBy = (deserialize: Serializer["deserialize"]) =>
    withChain(chain(delivering(json(), deserialize), { json: text }));

  it("if the reader does not know its version", async () => {
    const second = withChain(chain(json(), { json: text }));
    const reader = { ...second, type: { ...second.type, versions: [] }, pipeline: undefined };
    expect(await tried(second, reader)).toMatchObject({
      tried: 1,
      counterexample: {
        stage: "select",
        reason: "UnknownMessageVersion",
        text: "orders does not know version 1.",
      },
    });
  });

  it("if the reader refuses it", async () => {
    const { counterexample } = await tried(
      writer,
      readBy(() => {
        throw decodeFailure("malformed", "Not this one.");
      }),
    );
    expect(counterexample).toMatchObject({ stage: "decode", text: expect.stringContaining("Not this one.") });
  });

  it("if what the reader needs cannot be reached", async () => {
    const { counterexample } = await tried(
      writer,
      readBy(() => {
        throw unavailableFailure("The registry is away.");
      }),
    );
    expect(counterexample).toMatchObject({
      stage: "decode",
      reason: "unavailable",
      text: expect.stringContaining("The registry is away."),
    });
  });

  it("if the reader gets another one, and says where", async () => {
    expect(
      (
        await tried(
          writer,
          readBy(() => "other"),
        )
      ).counterexample,
    ).toMatchObject({
      stage: "compare",
      reason: "changed",
      text: "At the root it is read as another value (value).",
    });
    const schema = order({ name: text });
    const changing = delivering(json(), () => ({ name: "other" }));
    const { counterexample } = await tried(
      described(chain(json(), { json: schema })),
      withChain(chain(changing, { json: schema })),
    );
    expect(counterexample?.text).toBe("At /name it is read as another value (value).");
  });

  it.each([
    ["msgpack", msgpack()],
    ["cbor", cbor()],
  ])("if the reader gets another one from %s", async (name, serializer) => {
    const typed = (of: Serializer) => withChain(chain(of, jsonSchema(order({ name: text }))));
    const changing = delivering(serializer, () => ({ name: "other" }));
    expect((await tried(typed(serializer), typed(serializer), name)).counterexample).toBeUndefined();
    expect((await tried(typed(serializer), typed(changing), name)).counterexample).toMatchObject({
      text: "At /name it is read as another value (value).",
    });
  });
});

describe("the default of an enum is no other value", () => {
  const suit = (...symbols: string[]) => ({ type: "enum", name: "Suit", symbols, default: "SPADES" });
  const record = (type: unknown) => ({ type: "record", name: "R", fields: [{ name: "suit", type }] });
  it.each<[string, (suit: unknown) => unknown]>([
    ["alone", (type) => type],
    ["in an array", (items) => ({ type: "array", items })],
    ["in a map", (values) => ({ type: "map", values })],
    ["in a union", (type) => ["null", type]],
    ["in a record in a record", (type) => ({ ...record(type), name: "Inner" })],
  ])("%s", async (_, around) => {
    const writerSchema = record(around(suit("SPADES", "HEARTS")));
    const writer = chain(avro(), { avro: writerSchema });
    const readerSchema = record(around(suit("SPADES")));
    const reader = chain(avro(), { avro: { schema: readerSchema, writerSchemas: [writerSchema] } });
    const trial = await tried(withChain(writer), withChain(reader), "avro");
    expect(trial.counterexample).toBeUndefined();
    expect(trial.tried).toBeGreaterThan(1);
  });
});
