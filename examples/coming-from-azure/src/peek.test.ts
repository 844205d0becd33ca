import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { ServiceBusClient } from "@azure/service-bus";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { expect, it } from "vitest";

const run = promisify(execFile);

it("peeks messages that a producer with the SDK sent", async () => {
  const broker = createBroker();
  await broker.createQueue("orders");
  const server = await serve(broker, {
    port: 0,
    keys: [{ name: "root", key: "secret", rights: ["Manage"] }],
  });
  const { connectionString } = server;
  const sdk = new ServiceBusClient(connectionString);
  try {
    await sdk.createSender("orders").sendMessages([{ body: { id: 1 }, messageId: "m1" }, { body: "a text" }]);
    const program = fileURLToPath(new URL("../dist/peek.js", import.meta.url));
    const env = { ...process.env, SERVICEBUS_CONNECTION_STRING: connectionString };
    const { stdout } = await run(process.execPath, [program], { env });
    expect(stdout).toContain("m1 { id: 1 } read by json\n");
    expect(stdout).toContain("2 messages were read, unreadable 0: not-known\nOnly 2 of at least 20 messages");
    expect(broker.getEntity("orders").activeMessageCount).toBe(2);
  } finally {
    await sdk.close();
    await server.close();
    await broker.close();
  }
});
