import { azureSuite } from "./azure.js";
import { brokerSuite } from "./broker.js";
import { censusSuite } from "./census.js";
import { clientSuite } from "./client.js";
import { engineSuite } from "./engine.js";
import { formatsSuite } from "./formats.js";
import type { Suite } from "./harness/probe.js";
import { memorySuite } from "./memory.js";
import { migrationSuite } from "./migration.js";
import { peersSuite } from "./peers.js";
import { pipelineSuite } from "./pipeline.js";
import { processingSuite } from "./processing.js";
import { requestReplySuite } from "./request-reply.js";
import { serverSuite } from "./server/server.js";
import { storageSuite } from "./storage.js";

/** All suites, in the order of the table. */
export const suites: Readonly<Record<string, Suite>> = {
  pipeline: pipelineSuite,
  formats: formatsSuite,
  migration: migrationSuite,
  census: censusSuite,
  client: clientSuite,
  broker: brokerSuite,
  "request-reply": requestReplySuite,
  engine: engineSuite,
  memory: memorySuite,
  storage: storageSuite,
  processing: processingSuite,
  azure: azureSuite,
  server: serverSuite,
  peers: peersSuite,
};

/** A part of a suite, such as `broker` and `single`. Throws `TypeError` for an unknown one. */
export function partOf(name: string, part: string): Suite[string] {
  const found = suiteOf(name)[part];
  if (found !== undefined) return found;
  const parts = Object.keys(suiteOf(name)).join(", ");
  throw new TypeError(`The suite "${name}" has no part "${part}". Parts: ${parts}.`);
}

/** The names of its parts, in order. Throws `TypeError` for an unknown suite. */
export function partsOf(name: string): string[] {
  return Object.keys(suiteOf(name));
}

function suiteOf(name: string): Suite {
  const suite = suites[name];
  if (suite !== undefined) return suite;
  throw new TypeError(`There is no suite "${name}". Suites: ${Object.keys(suites).join(", ")}.`);
}
