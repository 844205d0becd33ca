import { expect, it } from "vitest";
import { openLocalWorld } from "../../packages/transport-local/src/local-world.test-support.js";
import { requestReplyTests } from "./request-reply.js";
import { openTrial, until } from "./trial.js";

const open = async () => openLocalWorld();

requestReplyTests("on the local transport", open);

it("replies to more entities than senders are kept for", async () => {
  await using trial = await openTrial(open);
  const queues = await Promise.all(Array.from({ length: 70 }, () => trial.createQueue()));
  await Promise.all(
    queues.map((replyTo) => trial.client.reply({ replyTo, applicationProperties: {} }, { to: replyTo })),
  );
  await trial.client.reply({ replyTo: queues[0], applicationProperties: {} }, "again");
  for (const [index, queue] of queues.entries()) {
    expect(await trial.left(queue)).toHaveLength(index === 0 ? 2 : 1);
  }
});

it("holds nothing of ten thousand requests that have ended", async () => {
  await using trial = await openTrial(open);
  const [orders, replies] = [await trial.createQueue(), await trial.createQueue()];
  trial.handle(orders, (request, client) => client.reply(request, request.body));
  const requester = trial.client.createRequester(replies);
  for (let round = 0; round < 100; round += 1) {
    await Promise.all(Array.from({ length: 100 }, (_, body) => requester.request(orders, { body })));
  }
  expect(requester.pendingRequestCount).toBe(0);
  await until(async () => (await trial.left(replies)).length === 0);
});
