import { spawn } from "node:child_process";
import { once } from "node:events";
import { createBroker, createManualClock } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { createPipeline, defineMessage, WaybillClient } from "@waybill/core";
import { announceReader, queueBeaconStore } from "@waybill/migration/plan";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";
import { expect, it } from "vitest";
import { fixture, moduleOf, openFolder, runCommand } from "./environments.test-support.js";

const config = `
import { defineMessage } from ${JSON.stringify(moduleOf("core"))};
import { json } from ${JSON.stringify(moduleOf("serializer-json"))};

export default {
  serializer: json(),
  messageTypes: [defineMessage("order-placed", { version: 2, upcasters: { 1: (body) => body } })],
  contract: { service: "orders", sends: ["orders"] },
};
`;

/** An instance of billing that reads version 2, in this process. */
async function startNewInstance(transport: ReturnType<typeof localTransport>): Promise<AsyncDisposable> {
  const upcasters = { 1: (body: unknown) => body };
  const pipeline = createPipeline({
    serializer: json(),
    messageTypes: [defineMessage("order-placed", { version: 2, upcasters })],
  });
  const beacons = queueBeaconStore(transport, "capabilities");
  const { scheduler } = transport;
  const announced = await announceReader(beacons, pipeline, {
    reader: "billing",
    instance: "new",
    entities: ["orders"],
    scheduler,
  });
  const client = new WaybillClient(transport, { pipeline, readerDirectory: announced });
  client.subscribe("orders", { processMessage: async () => {}, processError: async () => {} });
  return {
    async [Symbol.asyncDispose]() {
      await client.close();
      await announced.close();
    },
  };
}

/** An instance of billing that reads version 1 only, in a process of its own, over AMQP. */
async function startOldInstance(env: Readonly<Record<string, string>>) {
  const child = spawn(process.execPath, [fixture("announced-reader.mjs")], {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const kill = async () => {
    if (child.signalCode !== null) return;
    child.kill("SIGKILL");
    await once(child, "exit");
  };
  await once(child.stdout, "data");
  return { kill, [Symbol.asyncDispose]: kill };
}

it("waybill contract can-deploy says no while the beacon of one old instance is alive, and yes once it has expired", async () => {
  const clock = createManualClock(new Date("2026-11-05T12:00:00Z"));
  await using broker = createBroker({ clock });
  for (const queue of ["orders", "capabilities"]) await broker.createQueue(queue);
  await using server = await serve(broker, { port: 0 });
  await using transport = localTransport(broker);
  await using folder = await openFolder();
  await folder.write("waybill.config.mjs", config);
  const env = { SERVICEBUS_CONNECTION_STRING: server.connectionString };
  const canDeploy = () =>
    runCommand(["contract", "can-deploy", "--beacons", "capabilities", "--no-json"], {
      cwd: folder.path,
      env,
    });

  await using _ = await startNewInstance(transport);
  await using old = await startOldInstance(env);
  expect(await canDeploy()).toMatchObject({
    exitCode: 1,
    stdout: `incompatible: billing (live: old) does not read "order-placed" version 2 in json as orders writes it now
  by the schemas: billing does not know version 2: it reads 1
  by values: a live reader announces only what it reads
  → Deploy the readers first: add the version to them while the old one is written, then raise what is written with a write plan.

can be deployed: no, by 0 contracts and 2 live readers
`,
  });

  // A check against the live readers finds the same.
  expect(
    await runCommand(["contract", "check", "--beacons", "capabilities", "--json"], { cwd: folder.path, env }),
  ).toMatchObject({ exitCode: 1, stdout: expect.stringContaining('"baseline": "live: old"') });

  // A killed instance withdraws nothing: its beacon counts until it expires, after ten minutes.
  await old.kill();
  expect(await canDeploy()).toMatchObject({ exitCode: 1 });
  for (let minutes = 0; minutes < 12; minutes += 3) {
    clock.advance(3 * 60_000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await canDeploy()).toMatchObject({
    exitCode: 0,
    stdout: "can be deployed: yes, by 0 contracts and 1 live reader\n",
  });
});
