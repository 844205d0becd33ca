import { once } from "node:events";
import type { Message } from "rhea";
import { percentile } from "waybill-harness/figures.js";
import { connectRhea } from "./rhea-client.js";
import type { Server } from "./start-server.js";

/**
 * The median time of `count` round trips in µs: requests of 1 KB from one connection, answered by another, which are two ways through the broker,
 * one at a time.
 */
export async function roundTripUs(server: Server, count: number): Promise<number> {
  const [requests, replies] = [server.address("requests"), server.address("replies")];
  const [asking, answering] = [await connectRhea(server.port), await connectRhea(server.port)];
  const asker = asking.open_sender({ target: { address: requests } });
  const questions = answering.open_receiver({ source: { address: requests }, credit_window: 100 });
  const answerer = answering.open_sender({ target: { address: replies } });
  const answers = asking.open_receiver({ source: { address: replies }, credit_window: 100 });
  await Promise.all([
    once(asker, "sendable"),
    once(answerer, "sendable"),
    once(questions, "receiver_open"),
    once(answers, "receiver_open"),
  ]);
  questions.on("message", ({ message }) => answerer.send(message as Message));
  const message = { message_id: "m", durable: false, body: Buffer.alloc(1024, "x") };
  const times: number[] = [];
  for (let i = 0; i < count; i++) {
    const startMs = performance.now();
    const answer = new Promise((resolve) => answers.once("message", resolve));
    asker.send(message);
    await answer;
    times.push((performance.now() - startMs) * 1000);
  }
  asking.close();
  answering.close();
  return percentile(times, 50);
}
