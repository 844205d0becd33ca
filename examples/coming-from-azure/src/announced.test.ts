import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { expect, it } from "vitest";
import { steps } from "./steps.js";

const run = promisify(execFile);

/** The consumers of the guide that are written with waybill, each with a producer whose orders it reads. */
const producers: Readonly<Record<string, string>> = {
  "1-consumer/consumer": "2-producer/producer",
  "3-message-type/consumer": "3-message-type/producer",
  "4-read-both/consumer": "3-message-type/producer",
  "6-contract/consumer": "6-contract/producer",
};

it("are all consumers of the guide but that of the SDK", () => {
  const consumers = new Set(steps.flatMap((step) => step.consumers));
  expect([...consumers].filter((name) => name !== "0-sdk/consumer")).toEqual(Object.keys(producers));
});

it.each(Object.entries(producers))(
  "%s has announced itself before it handles its first order",
  {
    timeout: 240_000,
  },
  async (consumer, producer) => {
    const broker = createBroker();
    await broker.createQueue("orders");
    await broker.createQueue("capabilities");
    const keys = [{ name: "RootManageSharedAccessKey", key: "SAS_KEY_VALUE", rights: ["Manage"] }] as const;
    const server = await serve(broker, { port: 0, keys });
    const env = { ...process.env, SERVICEBUS_CONNECTION_STRING: server.connectionString };
    await run(process.execPath, [pathOf(producer), "1", "1"], { env });
    const program = spawn(process.execPath, [pathOf(consumer)], { env, stdio: ["pipe", "pipe", "inherit"] });
    const ended = once(program, "close");
    await Promise.race([once(program.stdout, "data"), ended]);
    const announced = await broker.receiver("capabilities").peek(10);
    program.stdin.end();
    await ended;
    await server.close();
    await broker.close();
    expect(announced.map(({ subject }) => subject)).toContain("waybill-capability");
  },
);

function pathOf(program: string): string {
  return fileURLToPath(new URL(`../dist/${program}.js`, import.meta.url));
}
