import { createPipeline, defineMessage, type MessageTypeResolver, propertyResolver } from "@waybill/core";
import { type AvroOptions, avro } from "@waybill/serializer-avro";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { describe, expect, it } from "vitest";
import { ContentTypePlan } from "./content-type-plan.js";
import { withWritePlans } from "./with-write-plans.js";
import { WritePlan } from "./write-plan.js";

const placed = defineMessage("order-placed", {
  version: 2,
  schemas: { 1: { avro: "string" }, 2: {} },
  upcasters: { 1: (body) => body },
  downcasters: { 2: (body) => body },
});
const toAvro = { from: { serializer: "json", version: 1 }, to: { serializer: "avro", version: 2 } };
const refusal =
  '[configuration-invalid] The write plan of "order-placed" cannot work: version 2 cannot be written as avro: Avro has no schema for the ' +
  'message type "order-placed"; add it to the definition of the message type, as schemas: { 2: { avro: … } }, or to the options of the serializer.';

function planned(
  options: AvroOptions,
  plan = new WritePlan(placed, toAvro),
  messageTypeResolver?: MessageTypeResolver,
) {
  const pipeline = createPipeline({
    serializer: json(),
    additionalDeserializers: [avro(options)],
    messageTypes: [placed],
    messageTypeResolver,
  });
  return () => withWritePlans(pipeline, [plan]);
}

describe("a plan whose target has no schema", () => {
  it("is refused when it is made, not at the first send", () => {
    expect(planned({})).toThrow(refusal);
    expect(planned({ schemas: { "order-shipped": "string" } })).toThrow(refusal);
  });

  it("is refused if it cannot write what it begins with", () => {
    const back = new WritePlan(placed, { from: toAvro.to, to: toAvro.from });
    expect(planned({}, back)).toThrow(refusal);
  });

  it("is accepted with a schema of the definition or of the serializer", () => {
    expect(
      planned({}, new WritePlan(placed, { ...toAvro, to: { serializer: "avro", version: 1 } })),
    ).not.toThrow();
    expect(planned({ schema: "string" })).not.toThrow();
    expect(planned({ schemas: { "order-placed": "string" } })).not.toThrow();
  });

  it("is accepted if a function chooses the schema for each message", () => {
    expect(planned({ schemas: () => undefined })).not.toThrow();
  });

  it("is refused if the definition has a schema, but an envelope is written", () => {
    const resolver: MessageTypeResolver = { ...propertyResolver(), wrap: (body) => ({ body }) };
    const one = new WritePlan(placed, { ...toAvro, to: { serializer: "avro", version: 1 } });
    expect(planned({}, one, resolver)).toThrow("version 1 cannot be written as avro");
  });

  it("quotes the serializer in its advice if it is not a name", () => {
    const serializer = { ...json(), name: "json-ld", cannotWrite: () => "no context" };
    const pipeline = createPipeline({ serializer, messageTypes: [placed] });
    const plan = new WritePlan(placed, { from: { serializer: "json-ld" }, to: { serializer: "json-ld" } });
    expect(() => withWritePlans(pipeline, [plan])).toThrow(
      'no context; add it to the definition of the message type, as schemas: { 2: { "json-ld": … } }',
    );
  });
});

it("a plan covers a message whose subject names its type, whatever the resolver finds", async () => {
  const plan = new WritePlan(placed, { from: { serializer: "json" }, to: { serializer: "msgpack" } });
  await plan.setPercent(100, { override: true });
  const pipeline = createPipeline({
    serializer: json(),
    additionalDeserializers: [msgpack()],
    messageTypes: [placed],
    messageTypeResolver: { ...propertyResolver(), identify: () => undefined },
    readBack: false,
  });
  const contentTypeOf = async (subject: string) =>
    (await withWritePlans(pipeline, [plan]).serialize({ subject, body: { id: 1 } })).contentType;
  expect(await contentTypeOf("order-placed")).toBe("application/vnd.msgpack");
});

describe("a plan by content type", () => {
  const plan = new ContentTypePlan("orders", {
    from: { contentType: "application/json" },
    to: { contentType: "application/avro" },
  });
  const plans = (options: AvroOptions) => () =>
    withWritePlans(createPipeline({ serializer: json(), additionalDeserializers: [avro(options)] }), [plan]);

  it("is refused if its serializer cannot write any message", () => {
    expect(plans({})).toThrow(
      '[configuration-invalid] The write plan of "orders" cannot work: application/avro cannot be written by avro: Avro has no schema for a ' +
        "message without a type; add it to the options of the serializer.",
    );
  });

  it("is accepted if some messages can be written", () => {
    expect(plans({ schemas: { "order-placed": "string" } })).not.toThrow();
  });
});
