import { createPipeline, defineMessage, type Pipeline } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import type { BeaconStore, CapabilityBeacon } from "../../capability/beacon-store.js";
import { readerCapability } from "../../capability/reader-capability.js";
import { type CheckContractOptions, checkContract, contractOf } from "../../contract.js";
import { Checker } from "./check-contract.js";

const text = { type: "string" };
const upcasters = { 1: (body: unknown) => body };
const downcasters = { 2: (body: unknown) => body };
const noted = (schemas: Record<number, object> = {}, more: object = {}) =>
  defineMessage("noted", { version: 2, schemas, upcasters, downcasters, ...more } as never);

function chain(types: readonly unknown[], main: "json" | "msgpack" = "json"): Pipeline {
  const [one, two] = main === "json" ? [json(), msgpack()] : [msgpack(), json()];
  return createPipeline({
    serializer: one,
    additionalDeserializers: [two],
    messageTypes: types as Pipeline["messageTypes"],
  });
}

const onlyJson = (...types: readonly unknown[]) =>
  createPipeline({ serializer: json(), messageTypes: types as Pipeline["messageTypes"] });

/** Announces what a chain reads, by an instance that lives on. */
function beaconOf(pipeline: Pipeline, instance = "host-1"): CapabilityBeacon {
  const now = Date.now();
  return {
    ...{ reader: "billing", instance, entities: ["orders"] },
    capability: readerCapability(pipeline),
    announcedAt: new Date(now),
    expiresAt: new Date(now + 3_600_000),
  };
}

function listing(...beacons: readonly CapabilityBeacon[]): BeaconStore {
  return { announce: async () => {}, list: async () => beacons };
}

async function liveFindings(now: Pipeline, reader: Pipeline, more: Partial<CheckContractOptions> = {}) {
  const contract = contractOf(now, { service: "orders" });
  const { findings } = await checkContract({
    contract,
    pipeline: now,
    beacons: listing(beaconOf(reader)),
    ...more,
  });
  return findings.filter(({ direction }) => direction !== "within");
}

/** What is said of a running reader of the current version in JSON. */
const live = {
  messageType: "noted",
  version: 2,
  serializer: "json",
  direction: "forward",
  baseline: "live: host-1",
  writer: "orders",
  reader: "billing",
  trial: { tried: 0, note: "a live reader announces only what it reads" },
};

describe("a running reader", () => {
  const now = onlyJson(noted({ 2: { json: text } }));

  it("that reads what is written is no obstacle", async () => {
    expect(await liveFindings(now, now)).toEqual([{ ...live, verdict: "compatible", obstacles: [] }]);
  });

  it("that does not know the type may receive others", async () => {
    expect(await liveFindings(now, onlyJson(defineMessage("paid", { version: 1 })))).toEqual([]);
  });

  it("may know the type by another name", async () => {
    const aliased = onlyJson(noted({ 2: { json: text } }, { aliases: ["written-down"] }));
    const renamed = onlyJson({ ...noted({ 2: { json: text } }), name: "written-down" });
    expect(await liveFindings(aliased, renamed)).toMatchObject([{ verdict: "compatible" }]);
  });

  it("that lacks the format or the version breaks", async () => {
    const written = chain([noted()], "msgpack");
    const old = onlyJson(defineMessage("noted", { version: 1 }));
    expect(await liveFindings(written, old)).toEqual([
      {
        ...{ ...live, serializer: "msgpack", verdict: "incompatible" },
        obstacles: [
          { kind: "breaks", path: "", text: "no serializer of billing reads application/vnd.msgpack" },
          { kind: "breaks", path: "", text: "billing does not know version 2: it reads 1" },
        ],
      },
    ]);
    expect(await liveFindings(written, onlyJson(noted()))).toMatchObject([
      { obstacles: [{ text: "no serializer of billing reads application/vnd.msgpack" }] },
    ]);
  });

  it("that has another schema, or one where the writer has none, is not decided", async () => {
    const another = {
      ...{ ...live, verdict: "not-decided" },
      obstacles: [
        {
          ...{ kind: "not-decided", path: "" },
          text: "billing has another json schema of version 2: its contract would decide",
        },
      ],
    };
    expect(await liveFindings(now, onlyJson(noted({ 2: { json: { type: "number" } } })))).toEqual([another]);
    expect(await liveFindings(now, onlyJson(noted()))).toEqual([another]);
    expect(await liveFindings(onlyJson(noted()), now)).toEqual([another]);
  });

  it("does not matter for what it wrote before, and is compared only with a chain", async () => {
    expect(await liveFindings(now, onlyJson(noted()), { mode: "backward" })).toEqual([]);
    expect(await liveFindings(now, onlyJson(noted()), { mode: "forward" })).toHaveLength(1);
    const contract = contractOf(now, { service: "orders" });
    await expect(checkContract({ contract, beacons: listing() })).rejects.toThrow(
      new TypeError("checkContract: beacons are compared with a pipeline: give it, too."),
    );
    await expect(checkContract({ contract })).resolves.toMatchObject({ verdict: "compatible" });
  });
});

describe("a check without a chain", () => {
  it("compares schemas, and says that no value was tried", async () => {
    const contract = contractOf(onlyJson(noted({ 2: { json: text } })), { service: "orders" });
    const baseline = contractOf(onlyJson(noted({ 2: { json: { type: "number" } } })), { service: "orders" });
    const { findings } = await checkContract({
      ...{ contract, mode: "forward" },
      baselines: [{ name: "main", contract: baseline }],
    });
    const trial = { tried: 0, note: "only contracts were given, without a chain to try values with" };
    const place = {
      messageType: "noted",
      version: 2,
      serializer: "json",
      writer: "orders",
      reader: "orders",
    };
    expect(findings).toEqual([
      {
        ...{ ...place, direction: "forward", baseline: "main", verdict: "incompatible", trial },
        obstacles: [{ kind: "breaks", path: "", text: "string is not read as number" }],
      },
      { ...place, direction: "within", baseline: undefined, verdict: "compatible", obstacles: [], trial },
    ]);
  });

  it("knows a reader that lacks the type", async () => {
    const contract = contractOf(chain([noted()], "msgpack"), { service: "orders" });
    const baseline = contractOf(onlyJson(), { service: "shop" });
    const { findings, verdict } = await checkContract({
      ...{ contract, mode: "forward" },
      baselines: [{ name: "main", contract: baseline }],
    });
    expect(verdict).toBe("incompatible");
    expect(findings.filter(({ direction }) => direction === "forward")).toEqual([
      {
        ...{
          messageType: "noted",
          version: 2,
          serializer: "msgpack",
          direction: "forward",
          baseline: "main",
        },
        ...{ writer: "orders", reader: "shop", verdict: "incompatible", trial: { tried: 0 } },
        obstacles: [
          {
            ...{ kind: "breaks", path: "" },
            text: "shop does not know the message type: it dead-letters its messages",
          },
        ],
      },
    ]);
  });
});

it("a service of which only the contract is known is tried with each of its readers", async () => {
  const now = onlyJson(noted({ 2: { json: text } }));
  const reader = (schema: object) =>
    contractOf(onlyJson(noted({ 2: { json: schema } })), { service: "shop" });
  const checker = new Checker(now, false);
  const counterexampleOf = async (schema: object) => {
    const writer = { contract: contractOf(now, { service: "orders" }) };
    const [finding] = await checker.compare(writer, { contract: reader(schema) }, "forward", "main");
    return finding?.trial.counterexample;
  };
  expect(await counterexampleOf(text)).toBeUndefined();
  expect(await counterexampleOf({ type: "number" })).toMatchObject({ stage: "validate" });
});

describe("converters that no value was tried with", () => {
  it("leave open whether an older version is read", async () => {
    const versions = onlyJson(noted({ 1: { json: false }, 2: { json: text } }));
    const contract = contractOf(versions, { service: "orders" });
    const { findings } = await checkContract({ contract, pipeline: versions });
    const note = "there is no schema from which values can be made";
    expect(findings.find(({ version }) => version === 1)).toMatchObject({
      verdict: "not-decided",
      obstacles: [{ kind: "not-decided", text: `its converters are code, and no value was tried: ${note}` }],
      trial: { tried: 0, note },
    });
  });
});
