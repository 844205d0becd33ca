// For applications

export type { GoldenConfig, WaybillConfig } from "./config/waybill-config.js";
export { defineConfig } from "./config/waybill-config.js";
