import { defineConfig } from "vitest/config";
import full, { changesItsProcess } from "./vitest.config.js";

/** `pnpm reliability mutations` */
export default defineConfig({
  resolve: full.resolve ?? {},
  test: { include: ["packages/*/src/**/*.test.ts"], exclude: ["**/node_modules/**", ...changesItsProcess] },
});
