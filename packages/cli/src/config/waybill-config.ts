import type { MessageType, Pipeline, PipelineOptions } from "@waybill/core";
import type { ContractOptions } from "@waybill/migration/contract";
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

/** The service of a contract file, and its entities. */
export type ContractConfig = Pick<ContractOptions, "service" | "sends" | "receives">;

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
