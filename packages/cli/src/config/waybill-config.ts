import type { MessageType, Pipeline, PipelineOptions } from "@waybill/core";
import type { WritePlan } from "@waybill/migration";
import type { Redactor } from "@waybill/migration/golden";

/**
 * What `waybill.config.ts` exports as its default: the chain of your consumers, as the options of a pipeline or as a pipeline that is ready, and
 * what golden messages may show.
 */
export type WaybillConfig<Types extends MessageType = MessageType> = {
  readonly golden?: GoldenConfig | undefined;
  /** The plans by which formats change: `waybill explore` shows their percentage beside what waits. */
  readonly writePlans?: readonly WritePlan[] | undefined;
} & (PipelineOptions<Types> | { readonly pipeline: Pipeline<Types> });

/** How `waybill golden capture` redacts. */
export interface GoldenConfig {
  /** Replaces a leaf. Default: letters become `a`, digits `1`, and so on. */
  readonly redact?: Redactor | undefined;
  /** Paths that keep their value, as JSON pointers with stars, beside those of `--keep`. Default: none. */
  readonly keep?: readonly string[] | undefined;
}

/** Returns the configuration as it is; gives an editor its types. */
export function defineConfig<const Types extends MessageType = MessageType>(
  config: WaybillConfig<Types>,
): WaybillConfig<Types> {
  return config;
}
