import { createBroker, createManualClock } from "@waybill/broker";
import { createPipeline, defineMessage, type Pipeline } from "@waybill/core";
import type { VersionSchemas } from "@waybill/core/pipeline";
import { type JsonSchema, json } from "@waybill/serializer-json";
import { jsonSchema } from "@waybill/serializer-json/json-schema";
import { msgpack } from "@waybill/serializer-msgpack";
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

  it("compares in both directions, and asks everyone who runs", async () => {
    const { answer, liveReaders, findings } = await canDeploy({
      ...orders,
      running: [running("billing", after), running("payments", other), running("orders", other)],
    });
    expect([answer, liveReaders]).toEqual(["no", 0]);
    expect(
      findings.map(({ baseline, direction, messageType, version, verdict }) =>
        [baseline, direction, messageType, version, verdict].join(" "),
      ),
    ).toMatchInlineSnapshot(`
      [
        "billing backward order-placed 1 compatible",
        "billing backward order-placed 2 compatible",
        "billing forward order-placed 2 compatible",
        "orders backward invoice-paid 1 incompatible",
        "orders forward order-placed 2 incompatible",
      ]
    `);
  });

  it.each([
    [{ receives: ["Orders"] }, {}, "no"],
    [{ sends: ["inbox"] }, { receives: ["INBOX"] }, "no"],
    [{ sends: ["orders"] }, {}, "not-known"],
    [{ receives: ["events/Subscriptions/a"] }, { sends: ["events"] }, "not-known"],
  ])("a service with %j shares a queue with one with %j: %s", async (theirs, ours, answer) => {
    const contract = contractOf(after, { service: "orders", sends: ["orders"], ...ours });
    const met = [running("payments", other, theirs)];
    expect(await canDeploy({ contract, pipeline: after, running: met })).toMatchObject({ answer });
  });

  it("knows a message type by its other names", async () => {
    const renamed = createPipeline({
      serializer: json(),
      messageTypes: [
        defineMessage("placed", {
          version: 1,
          aliases: ["order-placed"],
          schemas: { 1: { json: schema("id") } },
        }),
      ],
    });
    const contract = contractOf(before, { service: "orders" });
    const { findings } = await canDeploy({
      contract,
      pipeline: before,
      running: [running("billing", renamed)],
    });
    expect(findings.map(({ direction, messageType, verdict }) => [direction, messageType, verdict])).toEqual([
      ["forward", "order-placed", "compatible"],
    ]);
  });

  it("takes the user's word that writers write only what their schemas name", async () => {
    const open = (...names: readonly string[]) => ({
      ...schema(...names),
      required: [],
      additionalProperties: undefined,
    });
    const chain = (...names: readonly string[]) =>
      createPipeline({
        serializer: json(),
        messageTypes: [
          defineMessage("order-placed", {
            version: 1,
            schemas: { 1: { json: JSON.parse(JSON.stringify(open(...names))) } },
          }),
        ],
      });
    const asked = { contract: contractOf(chain("a"), { service: "orders" }), pipeline: chain("a") };
    const others = { running: [running("billing", chain("a", "b"))] };
    expect((await canDeploy({ ...asked, ...others })).answer).toBe("no");
    expect((await canDeploy({ ...asked, ...others, writesOnlyDeclared: true })).answer).toBe("yes");
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

  const typed = (schemas: VersionSchemas) =>
    contractOf(
      createPipeline({
        serializer: json(),
        additionalDeserializers: [msgpack()],
        messageTypes: [defineMessage("order-placed", { version: 1, schemas: { 1: schemas } })],
      }),
      { service: "orders" },
    );

  it("raises what is written also where only the schema of a version is another", async () => {
    const [one, two] = [schema("id"), schema("id", "customer")];
    for (const format of ["json", "body"]) {
      const of = (each: JsonSchema) => typed({ [format]: format === "body" ? jsonSchema(each) : each });
      const { steps } = await planDeployment(of(one), of(two));
      expect(steps.map(({ action }) => action.split(",")[0])).toEqual([
        "Deploy the readers of orders with the new contract. Keep writing as before: a write plan at 0 %.",
        'Raise the write plan of "order-placed" from version 1 in json to version 1 in json',
      ]);
      expect(steps[0]?.risks).toEqual([
        '"order-placed" version 1 in json: customer: the reader requires it, and the writer may leave it out',
        ...(format === "json"
          ? []
          : [
              '"order-placed" version 1 in msgpack: customer: the reader requires it, and the writer may leave it out',
            ]),
      ]);
    }
  });

  it("stops reading a format that the chain no longer has", async () => {
    const from = { ...typed({}), serializers: typed({}).serializers.toReversed() };
    const now = contractOf(
      createPipeline({
        serializer: msgpack(),
        messageTypes: [defineMessage("order-placed", { version: 1 })],
      }),
      { service: "orders" },
    );
    const plan = await planDeployment(from, now);
    expect(plan).toMatchInlineSnapshot(`
      {
        "service": "orders",
        "steps": [
          {
            "action": "Deploy the readers of orders with the new contract. Keep writing as before: a write plan at 0 %.",
            "risks": [],
            "rollBack": "orders as before: nothing new was written yet.",
          },
          {
            "action": "Raise the write plan of "order-placed" from version 1 in json to version 1 in msgpack, once every instance of the readers announces that it reads it.",
            "risks": [],
            "rollBack": "The write plan at 0 %. Keep the readers: messages in version 1 in msgpack are out there.",
          },
          {
            "action": "Stop reading "order-placed" in version 1 in json, once waybill verdict says yes.",
            "risks": [
              "messages of it that still wait are dead-lettered",
            ],
            "rollBack": "The contract before this step: it still reads them.",
          },
        ],
      }
    `);
    expect(planAsMermaid(plan)).toMatchInlineSnapshot(`
      "flowchart TD
        step1["1. Deploy the readers of orders with the new contract. Keep writing as before: a write plan at 0 #37;."]
        step1 -.->|roll back| back1["orders as before: nothing new was written yet."]
        step2["2. Raise the write plan of 'order-placed' from version 1 in json to version 1 in msgpack, once every instance of the readers announces that it reads it."]
        step1 --> step2
        step2 -.->|roll back| back2["The write plan at 0 #37;. Keep the readers: messages in version 1 in msgpack are out there."]
        step3["3. Stop reading 'order-placed' in version 1 in json, once waybill verdict says yes."]
        step2 --> step3
        step3 -.->|roll back| back3["The contract before this step: it still reads them."]
        step3 --- risk3{{"messages of it that still wait are dead-lettered"}}
      "
    `);
  });

  it("takes the user's word that writers write only what their schemas name", async () => {
    const open = (more: object) => ({ type: "object", properties: { id: { type: "string" }, ...more } });
    const [from, now] = [typed({ json: open({}) }), typed({ json: open({ note: { type: "string" } }) })];
    expect((await planDeployment(from, now)).steps[0]?.risks).not.toEqual([]);
    expect((await planDeployment(from, now, true)).steps[0]?.risks).toEqual([]);
  });

  it("says nothing of message types that are new", async () => {
    const from = contractOf(other, { service: "orders" });
    expect(
      (await planDeployment({ ...from, messageTypes: [] }, from)).steps.map(({ action }) => action),
    ).toEqual(["Deploy the readers of orders with the new contract. What is written stays the same."]);
  });

  it("has one step if nothing that is written changes", async () => {
    const contract = contractOf(after, { service: "orders" });
    expect((await planDeployment(contract, contract)).steps).toHaveLength(1);
  });
});
