import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { type BrokerProperty, brokerProperties, capitalised } from "./broker-properties.js";

const page = readFileSync(new URL("../../../../docs/broker-properties.md", import.meta.url), "utf8");
const properties = Object.entries<BrokerProperty>(brokerProperties);

describe("brokerProperties", () => {
  it("is the table of docs/broker-properties.md", () => {
    expect(page).toContain(table());
  });

  it("does not put two properties into one part of a message", () => {
    const places = properties.flatMap(([, { amqp }]) => (amqp ? [`${amqp.section}/${amqp.field}`] : []));
    expect(new Set(places).size).toBe(places.length);
    const keys = properties.flatMap(([, { http }]) => (http ? [http] : []));
    expect(new Set(keys).size).toBe(keys.length);
  });
});

function table(): string {
  const rows = properties.map(
    ([name, { access, amqp, http, ...limits }]) =>
      `| \`${name}\` | ${capitalised(name)} | ${access} | ${amqp ? `${amqp.section}: \`${amqp.field}\` (${amqp.type})` : "–"} | ${http ? `\`${http}\`` : "–"} | ${limit(limits)} |`,
  );
  return [
    "| name | in Azure's documentation | access | AMQP | HTTP `BrokerProperties` | limit |",
    "|---|---|---|---|---|---|",
    ...rows,
  ].join("\n");
}

function limit({ type, maxLength, max }: Pick<BrokerProperty, "type" | "maxLength" | "max">): string {
  if (maxLength !== undefined) return `${maxLength} characters`;
  return type === "duration" ? `1 to ${max} ms` : "–";
}
