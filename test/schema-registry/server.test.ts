import { afterAll } from "vitest";
import { openServerSeat } from "../../packages/transport-azure/src/seats.test-support.js";
import { outageTests } from "./outage.js";

const seat = await openServerSeat();
afterAll(() => seat[Symbol.asyncDispose]());

outageTests("over the official SDK on the local broker's server", seat.subject.create);
