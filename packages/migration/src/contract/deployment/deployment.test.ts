import { createBroker, createManualClock } from "@waybill/broker";
import { createPipeline, defineMessage, type Pipeline } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";
import { canDeploy, contractOf, planAsMermaid, planDeployment } from "../../contract.js";
import { announceReader, queueBeaconStore } from "../../plan.js";

const schema = (...names: readonly string[]) => ({
  type: "object",
  properties: Object.fromEntries(names.map((name) => [name, { type: "string" }])),
  required: names,
  additionalProperties: false,
});

/** The chain before the change, and after: version 2 has a customer. */
const before = createPipeline({
  serializer: json(),
  messageTypes: [defineMessage("order-placed", { version: 1, schemas: { 1: { json: schema("id") } } })],
});
const after: Pipeline = createPipeline({
  serializer: json(),
  messageTypes: [
    defineMessage("order-placed", {
      version: 2,
      schemas: { 1: { json: schema("id") }, 2: { json: schema("id", "customer") } },
      upcasters: { 1: (body: unknown) => ({ ...(body as object), customer: "" }) },
    }),
  ],
});
const other = createPipeline({
  serializer: json(),
  messageTypes: [defineMessage("invoice-paid", { version: 1, schemas: { 1: { json: schema("no") } } })],
});

const running = (name: string, pipeline: Pipeline, more: object = {}) => ({
  name,
  contract: contractOf(pipeline, { service: name, ...more }),
});

describe("can-deploy", () => {
  const orders = { contract: contractOf(after, { service: "orders", sends: ["orders"] }), pipeline: after };

  it("says yes if everything that runs reads what is written", async () => {
    expect(await canDeploy({ ...orders, running: [running("billing", after)] })).toMatchObject({
      answer: "yes",
    });
  });

  it("says no while a service of the old contract runs", async () => {
    const { answer, findings } = await canDeploy({ ...orders, running: [running("billing", before)] });
    expect(answer).toBe("no");
    expect(findings.filter(({ verdict }) => verdict === "incompatible")).toMatchObject([
      { reader: "billing", version: 2, obstacles: [{ text: "billing does not know version 2: it reads 1" }] },
    ]);
  });

  it("leaves out services that share no message type, unless they read the same queue", async () => {
    expect(await canDeploy({ ...orders, running: [running("payments", other)] })).toMatchObject({
      answer: "not-known",
    });
    const met = running("payments", other, { receives: ["orders"] });
    expect(await canDeploy({ ...orders, running: [met] })).toMatchObject({ answer: "no" });
  });

  it("says not known if nothing is known to run", async () => {
    expect(await canDeploy(orders)).toMatchObject({ answer: "not-known", findings: [] });
  });

  it("says no while one old instance's beacon is alive, and yes after it", async () => {
    const clock = createManualClock(new Date("2026-11-05T12:00:00Z"));
    await using broker = createBroker({ clock });
    await broker.createQueue("capabilities");
    const transport = localTransport(broker);
    await using store = queueBeaconStore(transport, "capabilities");
    const nowMs = clock.now();
    const entities = ["orders"];
    await using _ = await announceReader(store, after, { reader: "billing", instance: "new", entities });
    const old = await announceReader(store, before, { reader: "billing", instance: "old", entities });
    const asked = await canDeploy({ ...orders, beacons: store, nowMs });
    expect(asked).toMatchObject({ answer: "no", liveReaders: 2 });
    expect(asked.findings.filter(({ verdict }) => verdict === "incompatible")).toMatchObject([
      { baseline: "live: old" },
    ]);
    await old.close();
    expect(await canDeploy({ ...orders, beacons: store, nowMs })).toMatchObject({
      answer: "yes",
      liveReaders: 1,
    });
  });
});

describe("a plan of deployments", () => {
  it("deploys readers first, then what is written, and says what to roll back to", async () => {
    const plan = await planDeployment(
      contractOf(before, { service: "orders" }),
      contractOf(after, { service: "orders" }),
    );
    expect(plan.steps).toEqual([
      {
        action:
          "Deploy the readers of orders with the new contract. Keep writing as before: a write plan at 0 %.",
        risks: [],
        rollBack: "orders as before: nothing new was written yet.",
      },
      {
        action: expect.stringContaining(
          'Raise the write plan of "order-placed" from version 1 in json to version 2 in json',
        ),
        risks: [expect.stringContaining("while one reader runs as before")],
        rollBack: "The write plan at 0 %. Keep the readers: messages in version 2 in json are out there.",
      },
    ]);
    expect(planAsMermaid(plan)).toMatch(
      /^flowchart TD\n {2}step1\["1\. Deploy the readers.*\n(?:.*\n)*.*step1 --> step2\n/,
    );
  });

  it("ends with what is no longer read", async () => {
    const { steps } = await planDeployment(
      contractOf(after, { service: "orders" }),
      contractOf(
        createPipeline({
          serializer: json(),
          messageTypes: [
            defineMessage("order-placed", {
              version: 2,
              schemas: { 2: { json: schema("id", "customer") } },
              removed: [1],
            }),
          ],
        }),
        { service: "orders" },
      ),
    );
    expect(steps.at(-1)?.action).toBe(
      'Stop reading "order-placed" in version 1 in json, once waybill verdict says yes.',
    );
  });

  it("has one step if nothing that is written changes", async () => {
    const contract = contractOf(after, { service: "orders" });
    expect((await planDeployment(contract, contract)).steps).toHaveLength(1);
  });
});
