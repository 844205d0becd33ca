import { systemScheduler } from "@waybill/foundation";
import { describe, expect, it } from "vitest";
import type { DeliveredMessage } from "../../contracts/transport.js";
import { createPipeline } from "../../pipeline/pipeline.js";
import { text } from "../../serializers/text-serializer.js";
import { LookAhead } from "./look-ahead.js";

const mebibyte = 1024 * 1024;

describe("a look-ahead at waiting messages", () => {
  it("ends after 16 MiB of bodies, and the next one continues after them", async () => {
    const look = lookAhead(many(40, undecodable(mebibyte)));
    expect(await look.findReadable(1n)).toEqual({
      messageCount: 16,
      readable: undefined,
      next: 17n,
      isAtEnd: false,
    });
    expect((await look.findReadable(17n)).next).toBe(33n);
  });

  it("also counts the size of AMQP value bodies", async () => {
    const body = { section: "value", value: 1 } as const;
    const value = { body, size: 4 * mebibyte, state: "scheduled" } as const;
    expect((await lookAhead(many(40, value)).findReadable(1n)).messageCount).toBe(4);
  });

  it("reads at least one message of any size", async () => {
    const look = lookAhead([undecodable(20 * mebibyte), ...many(2, undecodable(1))]);
    expect((await look.findReadable(1n)).next).toBe(2n);
    expect((await look.survey(1n, 1)).messageCount).toBe(1);
  });

  it("ends after 16 MiB when it surveys a queue", async () => {
    const { messageCount, readable } = await lookAhead(many(40, undecodable(mebibyte))).survey(1n, 10);
    expect([messageCount, readable]).toEqual([16, undefined]);
  });

  it("surveys as many messages as a decision needs, of any size", async () => {
    const large = many(12, undecodable(4 * mebibyte));
    expect((await lookAhead(large).survey(1n, 10)).messageCount).toBe(10);
  });

  it("reads a thousand small messages", async () => {
    expect((await lookAhead(many(1_200, undecodable(1))).findReadable(1n)).messageCount).toBe(1_000);
  });
});

type Waiting = Pick<DeliveredMessage, "body"> & Partial<DeliveredMessage>;

function undecodable(length: number): Waiting {
  return { body: new Uint8Array(length).fill(0xff), contentType: "text/plain" };
}

function many(count: number, message: Waiting): Waiting[] {
  return new Array<Waiting>(count).fill(message);
}

/** A look-ahead over these messages, numbered from 1. */
function lookAhead(waiting: readonly Waiting[]): LookAhead {
  const messages = waiting.map((message, i) => {
    return { ...message, applicationProperties: {}, sequenceNumber: BigInt(i + 1) } as DeliveredMessage;
  });
  const receiver = {
    peek: async ({ fromSequenceNumber = 0n, maxMessages = 1 }) =>
      messages.filter((message) => message.sequenceNumber >= fromSequenceNumber).slice(0, maxMessages),
  };
  return new LookAhead(
    () => receiver,
    createPipeline({ serializer: text() }),
    systemScheduler,
    () => {},
  );
}
