import { afterAll } from "vitest";
import { openServerEnvironment } from "../../packages/transport-azure/src/environments.test-support.js";
import { requestReplyTests } from "./request-reply.js";

const environment = await openServerEnvironment();
afterAll(() => environment[Symbol.asyncDispose]());

requestReplyTests("over the official SDK on the local broker's server", environment.subject.create);
