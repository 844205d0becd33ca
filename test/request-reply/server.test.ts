import { afterAll } from "vitest";
import { openServerSeat } from "../../packages/transport-azure/src/seats.test-support.js";
import { requestReplyTests } from "./request-reply.js";

const seat = await openServerSeat();
afterAll(() => seat[Symbol.asyncDispose]());

requestReplyTests("over the official SDK on the local broker's server", seat.subject.create);
