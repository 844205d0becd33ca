import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { WaybillError } from "@waybill/core";
import { describe, expect, it } from "vitest";
import { namespaceHost } from "./connection/entra-credential.js";
import { encoded, fill, openServerEnvironment, runCommand } from "./environments.test-support.js";
import { describeError } from "./errors/describe-error.js";

describe("a table", () => {
  it("shows when scheduled messages are due, and fits 100 columns", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [{ ...encoded({ id: 1 }), subject: "a-message-type-with-a-long-name" }]);
    });
    await environment.run(["send", "orders", "--body", "{}", "--schedule", "10m"]);
    const { stdout } = await environment.run(["peek", "orders", "--no-json"]);
    expect(stdout).toMatch(/^NUMBER +STATE +ENQUEUED +DUE +MESSAGE ID/);
    expect(stdout).toMatch(/ 2 +scheduled +\S+ +\d{4}-\d{2}-\d{2}T/);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });

  it("omits empty columns", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("orders");
      await fill(broker, "orders", [{ ...encoded({ id: 1 }), subject: undefined }]);
    });
    const { stdout } = await environment.run(["peek", "orders", "--no-json"]);
    expect(stdout).toMatch(/^NUMBER +STATE +ENQUEUED +MESSAGE ID +CONTENT TYPE +READ BY +BYTES *\n/);
  });
});

describe("a body that nothing reads", () => {
  it("is shown as text if it is one, and else in Base64", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker(async (broker) => {
      await broker.createQueue("notes");
      const text = new TextEncoder().encode("see you\nat 李's \u202e");
      await fill(broker, "notes", [
        { body: text, contentType: "text/plain" },
        { body: Uint8Array.of(0x81, 0x00) },
      ]);
    });
    const { stdout } = await environment.run(["peek", "notes", "--body", "--no-json"]);
    expect(stdout).toContain("\n1 see you\nat 李's \\u202e\n");
    expect(stdout).toContain('"rawBody": "gQA="');
    expect((await environment.run(["peek", "notes", "--body"])).lines()[0]).toMatchObject({
      rawBody: "c2VlIHlvdQphdCDmnY4ncyDigK4=",
    });
  });
});

describe("a hint", () => {
  it("names --next-session if the queue requires sessions", async () => {
    await using environment = await openServerEnvironment();
    await environment.withBroker((broker) => broker.createQueue("carts", { requiresSession: true }));
    const ended = await environment.run(["receive", "carts", "--settle", "complete"]);
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("--next-session") });
  });

  it("reports that the broker does not use TLS", async () => {
    await using environment = await openServerEnvironment();
    const env = {
      SERVICEBUS_CONNECTION_STRING: (environment.connectionString ?? "").replace(
        /;?UseDevelopmentEmulator=true/,
        "",
      ),
    };
    const ended = await environment.run(["peek", "orders"], { env });
    expect(ended).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining("takes ;UseDevelopmentEmulator=true"),
    });
  });
});

describe("an interrupted command", () => {
  it("reports if it changed nothing", () => {
    const { text, exitCode } = describeError(new WaybillError("aborted", "The call was aborted."));
    expect([text, exitCode]).toEqual([
      "Interrupted: nothing on the broker was changed. Run the same command again to start over.",
      130,
    ]);
  });
});

describe("--namespace", () => {
  const identity = "node_modules/@azure/identity";

  it("names the package to install", async () => {
    await using environment = await openServerEnvironment();
    const ended = await environment.run(["peek", "orders", "--namespace", "shop"], { isFresh: true });
    expect(ended).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("npm install @azure/identity"),
    });
  });

  it("signs in with DefaultAzureCredential of the project", async () => {
    await using environment = await openServerEnvironment();
    await mkdir(join(environment.folder, identity), { recursive: true });
    await environment.write(`${identity}/package.json`, '{ "type": "module", "exports": "./index.js" }');
    await environment.write(
      `${identity}/index.js`,
      'export class DefaultAzureCredential { constructor() { throw new Error("made a credential"); } }',
    );
    const ended = await environment.run(["peek", "orders", "--namespace", "shop"], { isFresh: true });
    expect(ended.stderr).toContain("made a credential");
  });

  it("accepts a name or a host", () => {
    expect(namespaceHost("shop")).toBe("shop.servicebus.windows.net");
    expect(namespaceHost("sb://shop.servicebus.chinacloudapi.cn/")).toBe("shop.servicebus.chinacloudapi.cn");
    expect(() => namespaceHost("Endpoint=sb://shop;SharedAccessKey=x")).toThrow("takes a name, such as shop");
  });

  it("excludes --data", async () => {
    const ended = await runCommand(["peek", "orders", "--namespace", "shop", "--data", "x"]);
    expect(ended).toMatchObject({ exitCode: 2, stderr: expect.stringContaining("not both") });
  });
});
