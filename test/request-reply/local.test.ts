import { expect, it } from "vitest";
import { openLocalFixture } from "../../packages/transport-local/src/local-fixture.test-support.js";
import { openHarness, until } from "./harness.js";
import { requestReplyTests } from "./request-reply.js";

const open = async () => openLocalFixture();

requestReplyTests("on the local transport", open);

it("replies to more entities than the number of cached senders", async () => {
  await using harness = await openHarness(open);
  const queues = await Promise.all(Array.from({ length: 70 }, () => harness.createQueue()));
  await Promise.all(
    queues.map((replyTo) => harness.client.reply({ replyTo, applicationProperties: {} }, { to: replyTo })),
  );
  await harness.client.reply({ replyTo: queues[0], applicationProperties: {} }, "again");
  for (const [index, queue] of queues.entries()) {
    expect(await harness.left(queue)).toHaveLength(index === 0 ? 2 : 1);
  }
});

it("keeps no memory of ten thousand requests that have ended", async () => {
  await using harness = await openHarness(open);
  const [orders, replies] = [await harness.createQueue(), await harness.createQueue()];
  harness.handle(orders, (request, client) => client.reply(request, request.body));
  const requester = harness.client.createRequester(replies);
  for (let round = 0; round < 100; round++) {
    await Promise.all(Array.from({ length: 100 }, (_, body) => requester.request(orders, { body })));
  }
  expect(requester.pendingRequestCount).toBe(0);
  await until(async () => (await harness.left(replies)).length === 0);
});
