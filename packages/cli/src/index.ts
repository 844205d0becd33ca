// For applications

export type {
  ContractConfig,
  ContractEnvironment,
  GoldenConfig,
  WaybillConfig,
} from "./config/waybill-config.js";
export { defineConfig } from "./config/waybill-config.js";
