import { createPipeline, defineMessage, type EncodedMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { expect, it } from "vitest";
import { z } from "zod";
import { openFixture } from "../fixture.test-support.js";
import { rehearseRepair } from "./rehearse-repair.js";
import { repairDeadLetters } from "./repair-dead-letters.js";

const meeting = defineMessage("meeting", { version: 1, schemas: { 1: z.object({ at: z.date() }) } });

/** It reads MessagePack, and writes JSON, which has no dates. */
const pipeline = createPipeline({
  serializer: json(),
  additionalDeserializers: [msgpack()],
  messageTypes: [meeting],
  readBack: false,
});

it("never makes a readable message unreadable: it stays, and the dry run says so", async () => {
  await using fixture = openFixture();
  await fixture.broker.createQueue("orders");
  const written = pipeline.serialize(meeting.message({ at: new Date(0) }), {
    writeAs: { serializer: "msgpack" },
  }) as EncodedMessage;
  expect(pipeline.deserialize(written)).toMatchObject({ status: "decoded" });
  await fixture.send("orders", written);
  await fixture.deadLetter({ queue: "orders" });
  const options = { transport: fixture.transport, pipeline, from: { queue: "orders" } } as const;
  expect(await rehearseRepair({ ...options, body: "transcode" })).toEqual({
    peeked: 1,
    resubmittable: 0,
    skipped: { "would-be-unreadable": 1 },
  });
  expect(await repairDeadLetters({ ...options, body: "transcode", maxWaitTimeInMs: 0 })).toMatchObject({
    resubmitted: 0,
    skipped: { "would-be-unreadable": 1 },
  });
  expect(await rehearseRepair(options)).toMatchObject({ resubmittable: 1 });
});
