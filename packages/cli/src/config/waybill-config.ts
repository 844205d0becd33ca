import type { MessageType, Pipeline, PipelineOptions } from "@waybill/core";
import type {
  ContractContainer,
  ContractOptions,
  RegistryContractsOptions,
} from "@waybill/migration/contract";
import type { Redactor } from "@waybill/migration/golden";
import type { WritePlan } from "@waybill/migration/plan";

/**
 * The default export of `waybill.config.ts`: the chain of your consumers, as the options of a pipeline or as a pipeline, and how golden messages are
 * redacted.
 */
export type WaybillConfig<Types extends MessageType = MessageType> = {
  readonly golden?: GoldenConfig | undefined;
  /** Write plans: `waybill explore` shows their percentage beside the waiting messages. */
  readonly writePlans?: readonly WritePlan[] | undefined;
  /** What the contract file says besides the chain. Default: none; `waybill contract` needs it. */
  readonly contract?: ContractConfig | undefined;
} & (PipelineOptions<Types> | { readonly pipeline: Pipeline<Types> });

/** The service of a contract file, its entities, and what it is compared with. */
export interface ContractConfig extends Pick<ContractOptions, "service" | "sends" | "receives"> {
  /** Where services run, by name: `waybill contract can-deploy --to production`. Default: none. */
  readonly environments?: Readonly<Record<string, ContractEnvironment>> | undefined;
  /** The registry of `waybill contract check --registry`. Default: none. */
  readonly registry?: Pick<RegistryContractsOptions, "source" | "subjectOf"> | undefined;
}

/** What is known of the services that run in an environment. */
export interface ContractEnvironment {
  /** Their contract files: a directory, or a container of Azure Blob Storage. Default: none. */
  readonly contracts?: string | ContractContainer | undefined;
  /** The queue in which live readers announce themselves. Default: they do not. */
  readonly beacons?: string | undefined;
}

/** How `waybill golden capture` redacts. */
export interface GoldenConfig {
  /** Replaces a leaf of a body. Default: letters become `a`, digits `1`, and so on. */
  readonly redact?: Redactor | undefined;
  /** Paths that keep their value, as JSON pointers in which a step `*` matches any key, in addition to those of `--keep`. Default: none. */
  readonly keep?: readonly string[] | undefined;
}

/** Returns the configuration unchanged, with types for your editor. */
export function defineConfig<const Types extends MessageType = MessageType>(
  config: WaybillConfig<Types>,
): WaybillConfig<Types> {
  return config;
}
