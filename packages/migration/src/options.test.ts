import { createPipeline, defineMessage } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { expect, it } from "vitest";
import { queueReadStore, recordReads, takeCensus } from "./census.js";
import { canDeploy, checkContract, contractOf, registryContracts } from "./contract.js";
import { captureGoldenMessages } from "./golden.js";
import {
  announceReader,
  beaconGuard,
  ContentTypePlan,
  queueBeaconStore,
  ShadowCheck,
  Verification,
  WritePlan,
} from "./plan.js";
import { rehearseRepair, repairDeadLetters } from "./repair.js";
import { captureGoldenMessage } from "./tools.js";
import { runWorker, shareCensus, shareRepair } from "./work.js";

const orderPlaced = defineMessage("order-placed", { version: 1 });
const pipeline = createPipeline({ serializer: json() });
const json1 = { serializer: "json" };

const misspelt: [what: string, give: () => unknown, nearest: string][] = [
  ["repairDeadLetters", () => repairDeadLetters({ limt: 5 } as never), "limit"],
  ["rehearseRepair", () => rehearseRepair({ onRehearse: () => {} } as never), "onRehearsed"],
  ["WritePlan", () => new WritePlan(orderPlaced, { from: json1, to: json1, guards: {} } as never), "guard"],
  ["ContentTypePlan", () => new ContentTypePlan("orders", { cover: () => true } as never), "covers"],
  ["beaconGuard", () => beaconGuard({ pipeline, reader: ["billing"] } as never), "readers"],
  [
    "announceReader",
    () => announceReader({} as never, {} as never, { lifeTimeMs: 1 } as never),
    "lifetimeInMs",
  ],
  [
    "queueBeaconStore",
    () => queueBeaconStore({} as never, "beacons", { maxMessage: 1 } as never),
    "maxMessages",
  ],
  ["ShadowCheck", () => new ShadowCheck({ candidate: json1, rate: 1 } as never), "sampleRate"],
  ["takeCensus", () => takeCensus({ pipeline, onProgres: () => {} } as never), "onProgress"],
  ["shareCensus", () => shareCensus({ pipeline, workQueu: "jobs" } as never), "workQueue"],
  ["shareRepair", () => shareRepair({ pipeline, jobb: "monday" } as never), "job"],
  ["runWorker", () => runWorker({ maxIdleTimeMs: 1 } as never), "maxIdleTimeInMs"],
  ["captureGoldenMessages", () => captureGoldenMessages({ samplePerKind: 1 } as never), "samplesPerKind"],
  ["captureGoldenMessage", () => captureGoldenMessage({} as never, { kep: [] } as never), "keep"],
  [
    "queueReadStore",
    () => queueReadStore({} as never, "reads", { lifeTimeInMs: 1 } as never),
    "lifetimeInMs",
  ],
  ["recordReads", () => recordReads(pipeline, {} as never, { readr: "billing" } as never), "reader"],
  ["contractOf", () => contractOf(pipeline, { service: "orders", send: [] } as never), "sends"],
  ["checkContract", () => checkContract({ baseline: [] } as never), "baselines"],
  ["registryContracts", () => registryContracts({ subjectsOf: () => "" } as never), "subjectOf"],
  ["canDeploy", () => canDeploy({ pipeline, runing: [] } as never), "running"],
  ["Verification", () => new Verification({ maxSample: 1 } as never), "maxSamples"],
];

it.each(misspelt)(
  "%s refuses a misspelt option and suggests the most similar name",
  async (what, give, nearest) => {
    const error = await Promise.resolve()
      .then(give)
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(TypeError);
    const { message } = error as TypeError;
    expect(message.startsWith(`${what}: there is no option "`)).toBe(true);
    expect(message).toContain(`did you mean "${nearest}"?`);
  },
);
