import { existsSync } from "node:fs";
import { extname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { createPipeline, type Pipeline, type PipelineOptions } from "@waybill/core";
import { type OptionNames, requireKnownOptions } from "@waybill/core/serializer";
import type { WritePlan } from "@waybill/migration/plan";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { UsageError } from "../errors/usage-error.js";
import { withoutSecrets } from "../errors/without-secrets.js";
import type { ContractConfig, GoldenConfig, WaybillConfig } from "./waybill-config.js";

/** A configuration that is ready for use. */
export interface LoadedConfig {
  readonly pipeline: Pipeline;
  readonly golden: GoldenConfig;
  readonly writePlans: readonly WritePlan[];
  /** Undefined if the configuration names no service. */
  readonly contract: ContractConfig | undefined;
  /** The options of the pipeline; undefined if the configuration has a pipeline. */
  readonly chain: PipelineOptions | undefined;
}

const contractOptions: OptionNames<ContractConfig> = {
  service: true,
  sends: true,
  receives: true,
  environments: true,
  registry: true,
};

const fileNames = ["waybill.config.ts", "waybill.config.mts", "waybill.config.js", "waybill.config.mjs"];

/** Loads a configuration file: the one given, else the one of the working directory, else a chain of JSON and MessagePack. */
export async function loadConfig(file: string | undefined): Promise<LoadedConfig> {
  const path = file === undefined ? findConfig() : resolve(file);
  const config: WaybillConfig =
    path === undefined
      ? { serializer: json(), additionalDeserializers: [msgpack()] }
      : await importConfig(path);
  try {
    return {
      pipeline: pipelineOf(config),
      golden: goldenOf(config.golden),
      writePlans: config.writePlans ?? [],
      contract: contractOf(config.contract),
      chain: "pipeline" in config ? undefined : config,
    };
  } catch (error) {
    throw new UsageError(`${path ?? "The chain"}: ${(error as Error).message}`);
  }
}

function pipelineOf({ golden: _, writePlans: __, contract: ___, ...config }: WaybillConfig): Pipeline {
  if (!("pipeline" in config)) return createPipeline(config);
  requireKnownOptions("defineConfig", config, { pipeline: true });
  return config.pipeline;
}

function goldenOf(golden: GoldenConfig = {}): GoldenConfig {
  requireKnownOptions("golden", golden, { redact: true, keep: true });
  return golden;
}

function contractOf(contract: ContractConfig | undefined): ContractConfig | undefined {
  if (contract === undefined) return undefined;
  requireKnownOptions("contract", contract, contractOptions);
  for (const [name, environment] of Object.entries(contract.environments ?? {}))
    requireKnownOptions(`contract: environments.${name}`, environment, { contracts: true, beacons: true });
  return contract;
}

function findConfig(): string | undefined {
  return fileNames.map((name) => join(process.cwd(), name)).find((path) => existsSync(path));
}

async function importConfig(path: string): Promise<WaybillConfig> {
  if (!existsSync(path)) throw new UsageError(`There is no configuration file ${path}.`);
  const config = await importDefault(path);
  // Other mistakes are reported by the pipeline, which suggests similar names.
  if (typeof config === "object" && config !== null && Object.keys(config).length > 0)
    return config as WaybillConfig;
  throw new UsageError(
    `${path} must have a default export: export default defineConfig({ serializer: json() }).`,
  );
}

async function importDefault(path: string): Promise<unknown> {
  try {
    if (/ts$/.test(extname(path))) {
      // Node before 22.18 does not run TypeScript.
      const { createJiti } = await import("jiti");
      return await createJiti(pathToFileURL(path).href, { fsCache: false }).import(path, { default: true });
    }
    return ((await import(pathToFileURL(path).href)) as { default?: unknown }).default;
  } catch (error) {
    throw new UsageError(`${path} cannot be loaded: ${withoutSecrets((error as Error).message)}`);
  }
}
