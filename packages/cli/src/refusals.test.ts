import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createBroker } from "@waybill/broker";
import { serve } from "@waybill/broker-server";
import { describe, expect, it } from "vitest";
import {
  encoded,
  environments,
  fill,
  openServerEnvironment,
  runCommand,
  waiting,
} from "./environments.test-support.js";

describe("what the broker refuses", () => {
  it("ends with 3, with the text of the answer as it was meant", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker((broker) => broker.createTopic("events"));
    const missing = await environment.run(["broker", "purge", 'orders "&" <returns>']);
    expect(missing).toMatchObject({ exitCode: 3, stdout: "" });
    expect(missing.stderr).toContain('orders "&" <returns>');
    expect(missing.stderr).not.toMatch(/&(?:quot|amp|lt);/);
    expect((await environment.run(["broker", "purge", "events"])).exitCode).toBe(3);
  });

  it("ends a push with 3, whatever the reason is, and names the entity", async () => {
    await using environment = await openServerEnvironment();
    const queue = { Name: "orders", Properties: { LockDuration: "PT1H" } };
    const file = await environment.write(
      "Config.json",
      JSON.stringify({ Namespaces: [{ Queues: [queue] }] }),
    );
    const pushed = await environment.run(["broker", "push", file, "--apply"]);
    expect(pushed).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/entity "orders": .*supplied lock time exceeds/),
    });
  });

  it("names who forwards to what does not exist, before anything is created", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker((broker) => broker.createTopic("events"));
    const forwarding = (Name: string, ForwardTo: string) => ({ Name, Properties: { ForwardTo } });
    const config = (...Queues: object[]) =>
      environment.write("Config.json", JSON.stringify({ Namespaces: [{ Queues }] }));
    const file = await config({ Name: "failures" }, forwarding("orders", "nowhere"));
    for (const apply of [["--apply"], []])
      expect(await environment.run(["broker", "push", file, ...apply])).toMatchObject({
        exitCode: 3,
        stdout: "",
        stderr: expect.stringContaining(`entity "orders": It forwards to 'nowhere', which does not exist.`),
      });
    await config({ Name: "failures" }, forwarding("orders", "Failures"), forwarding("visits", "events"));
    expect((await environment.run(["broker", "push", file, "--apply"])).exitCode).toBe(0);
  });

  it("names the tool where no waybill broker answers", async () => {
    await using server = await otherServer();
    const env = {
      SERVICEBUS_CONNECTION_STRING: `Endpoint=sb://127.0.0.1:${server.port};SharedAccessKeyName=root;SharedAccessKey=a-secret-key;UseDevelopmentEmulator=true`,
    };
    expect(await runCommand(["broker", "purge", "orders"], { env })).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining(
        `No waybill broker answers at http://127.0.0.1:${server.port} (404): \`waybill broker purge\` works with a local broker of waybill only.`,
      ),
    });
  });
});

/** An HTTP server that has nothing to do with brokers. */
async function otherServer() {
  const server = createServer((_, response) => response.writeHead(404).end("not here"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    port: (server.address() as AddressInfo).port,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

describe("a hint", () => {
  it("says that a key is wrong, or which claim it lacks", async () => {
    const broker = createBroker();
    await broker.createQueue("orders");
    const reader = { name: "reader", key: "reader-key", rights: ["Listen"] } as const;
    await using server = await serve(broker, { port: 0, keys: [reader] });
    const right = { SERVICEBUS_CONNECTION_STRING: server.connectionString };
    const wrong = {
      SERVICEBUS_CONNECTION_STRING: server.connectionString.replace(reader.key, "another-key"),
    };
    expect(await runCommand(["send", "orders", "--body", "1"], { env: right })).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/\nThe key lacks the Send claim\.\n$/),
    });
    expect(await runCommand(["peek", "orders"], { env: wrong })).toMatchObject({
      exitCode: 3,
      stderr: expect.stringMatching(/\nThe key is wrong: no policy here has this SharedAccessKeyName/),
    });
    await broker.close();
  });

  it("names a misspelt option rather than the one that is missing because of that", async () => {
    expect(await runCommand(["receive", "orders", "--setle", "complete"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("unknown option '--setle'\n(Did you mean --settle?)"),
    });
    expect((await runCommand(["receive", "orders"])).stderr).toContain("required option '--settle <how>'");
  });

  it("names options of the command, not of the programming interface", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker((broker) => broker.createQueue("carts", { requiresSession: true }));
    for (const form of ["--json", "--no-json"]) {
      const { stdout } = await environment.run(["verdict", "json", form]);
      expect(stdout).toContain("stop them, and give --writers-stopped-at");
      expect(stdout).toContain("give --session-states-are-free if none is written with it");
    }
    const rehearsed = await environment.run(["rehearse", "carts", "--json"]);
    expect(rehearsed.json().missing).toContain("watch live traffic with --watch,");
  });

  it("shows how a connection string looks", async () => {
    const ended = await runCommand(["peek", "orders"], { env: { SERVICEBUS_CONNECTION_STRING: "mistake" } });
    expect(ended).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("Endpoint=sb://…;SharedAccessKeyName=…;SharedAccessKey=…"),
    });
  });

  it("of explore says who has the port", async () => {
    await using environment = await openServerEnvironment();
    await using server = await otherServer();
    expect(await environment.run(["explore", "--port", String(server.port)])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringMatching(
        new RegExp(`^error: Port ${server.port} of 127.0.0.1 is taken by .*choose another one with --port`),
      ),
    });
  });
});

describe("waybill help", () => {
  it.each([
    [["help", "broker", "purge"], "Usage: waybill broker purge [options] <entity>"],
    [["broker", "help", "purge"], "Usage: waybill broker purge [options] <entity>"],
    [["help", "entities", "rules", "add"], "Usage: waybill entities rules add"],
    [["entities", "help"], "Usage: waybill entities"],
    [["help"], "Usage: waybill [options] [command]"],
  ])("finds %j", async (args, usage) => {
    const ended = await runCommand(args);
    expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ended.stdout).toContain(usage);
  });

  it("refuses a command that does not exist", async () => {
    expect(await runCommand(["help", "broker", "prge"])).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("unknown command 'prge'"),
    });
  });
});

describe.each(environments)("broker reset on $name", ({ open }) => {
  it("empties everything only with --all: a variable may be empty", async () => {
    await using environment = await open();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [encoded({ id: 1 })]);
    });
    const left = () => environment.withBroker((broker) => waiting(broker, { queue: "orders" }));
    for (const args of [[], [""], ["orders", "--all"]]) {
      expect((await environment.run(["broker", "reset", ...args])).exitCode).toBe(2);
      expect(await left()).toHaveLength(1);
    }
    expect(await environment.run(["broker", "reset", "--all"])).toMatchObject({ exitCode: 0 });
    expect(await left()).toHaveLength(0);
  });

  it("refuses an empty name of a queue to purge", async () => {
    await using environment = await open();
    await environment.withBroker((broker) => broker.createQueue("orders"));
    expect((await environment.run(["broker", "purge", ""])).exitCode).toBe(2);
  });
});
