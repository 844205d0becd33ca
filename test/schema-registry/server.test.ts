import { afterAll } from "vitest";
import { openServerEnvironment } from "../../packages/transport-azure/src/environments.test-support.js";
import { outageTests } from "./outage.js";

const environment = await openServerEnvironment();
afterAll(() => environment[Symbol.asyncDispose]());

outageTests("over the official SDK on the local broker's server", environment.subject.create);
