import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { brokerLimits } from "../packages/broker/src/errors/limits.js";
import { requestLimits } from "../packages/broker-server/src/limits/request-limits.js";
import { defaultServeLimits } from "../packages/broker-server/src/options/serve-limits.js";
import { readInterfaces } from "../website/src/option-tables/interface-table.js";

const { unauthenticated, ...limits } = defaultServeLimits;

describe("the doc comments of limits, from which the tables in docs/security.md are generated", () => {
  it.each([
    ["ServeLimits", "broker-server/src/options/serve-limits.ts", limits],
    ["UnauthenticatedLimits", "broker-server/src/options/serve-limits.ts", unauthenticated],
    ["RequestLimits", "broker-server/src/limits/request-limits.ts", requestLimits],
    ["BrokerLimits", "broker/src/errors/limits.ts", brokerLimits],
  ])("of %s have the actual values", (name, file, values) => {
    const path = new URL(`../packages/${file}`, import.meta.url).pathname;
    const found = readInterfaces(path, readFileSync(path, "utf8")).find((one) => one.name === name);
    const said = new Map(found?.rows.map((row) => [row.name, row.description]));
    for (const [limit, value] of Object.entries(values)) {
      expect(said.get(limit)).toMatch(new RegExp(` ${value.toLocaleString("en-US")}(?:\\.| \\()`));
    }
  });
});
