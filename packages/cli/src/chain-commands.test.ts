import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { createBroker } from "@waybill/broker";
import { createPipeline } from "@waybill/core";
import { captureGoldenMessages, writeGoldenMessages } from "@waybill/migration/golden";
import { json } from "@waybill/serializer-json";
import { msgpack } from "@waybill/serializer-msgpack";
import { localCatalog, localTransport } from "@waybill/transport-local";
import { describe, expect, it } from "vitest";
import {
  encoded,
  fill,
  fixture,
  interruptReading,
  moduleOf,
  openFolder,
  runCommand,
} from "./environments.test-support.js";

describe("waybill decode", () => {
  it("prints value, serializer and attempts", async () => {
    const ended = await runCommand(["decode", "--content-type", "application/json"], {
      input: encoded({ big: 2n ** 60n, at: new Date(0) }, "msgpack").body as Uint8Array,
    });
    expect(ended).toMatchObject({ exitCode: 0, stderr: "" });
    expect(ended.json()).toMatchObject({
      status: "decoded",
      serializer: "msgpack",
      declared: "json",
      position: 1,
      attempts: [{ serializer: "json", stage: "decode" }],
      value: { big: { $bigint: "1152921504606846976" }, at: { $date: "1970-01-01T00:00:00.000Z" } },
    });
  });

  it("prints the same as text", async () => {
    await using folder = await openFolder();
    const file = await folder.write("body", '{"id":1}');
    const ended = await runCommand(["decode", file, "--no-json"]);
    expect(ended.stdout).toBe('decoded by json (position 0), 8 bytes\nlooks like: JSON\n\n{\n  "id": 1\n}\n');
  });

  it("exits with 1 and prints every attempt when the body cannot be deserialized", async () => {
    const ended = await runCommand(["decode"], { input: Uint8Array.of(0xff) });
    expect(ended.exitCode).toBe(1);
    expect(ended.json()).toMatchObject({
      status: "undeserializable",
      reason: "NoDeserializer",
      attempts: [{ serializer: "json" }, { serializer: "msgpack" }],
    });
    expect(ended.json()).not.toHaveProperty("value");
  });
});

describe("an endless input", () => {
  it("ends at the first Ctrl-C", async () => {
    expect(await interruptReading(["decode"])).toBe("SIGINT");
    expect(await interruptReading(["transcode", "--as", "json"])).toBe("SIGINT");
  });

  it.runIf(existsSync("/dev/zero"))("is refused if it is larger than any message", async () => {
    expect(await runCommand(["decode", "/dev/zero"])).toMatchObject({
      exitCode: 2,
      stderr: "error: /dev/zero has more than 104857600 bytes.\n",
    });
  });
});

describe("waybill transcode", () => {
  it("writes a body in another format", async () => {
    await using folder = await openFolder();
    const input = '{"id":1,"tags":["a"]}';
    const written = await runCommand(["transcode", "--as", "msgpack", "--out", "order.msgpack"], {
      cwd: folder.path,
      input,
    });
    expect(written).toMatchObject({
      exitCode: 0,
      stdout: "",
      stderr: "read by json, written as application/vnd.msgpack, 15 bytes\n",
    });
    expect(await readFile(join(folder.path, "order.msgpack"))).toHaveLength(15);
    const back = await runCommand(["transcode", "order.msgpack"], { cwd: folder.path });
    expect(back.stdout).toBe(input);
  });

  it("removes the content encoding in any letter case", async () => {
    for (const name of ["Content-Encoding", "content-encoding"]) {
      const ended = await runCommand(["transcode", "--property", `${name}=gzip`], { input: gzipSync("[1]") });
      expect(ended).toMatchObject({ exitCode: 0, stdout: "[1]" });
      expect(ended.stderr).not.toContain("gzip");
    }
  });

  it("reads back what it writes, and writes nothing that the chain would not read", async () => {
    await using folder = await openFolder();
    const config = await folder.write(
      "waybill.config.mjs",
      `import { createPipeline } from "${moduleOf("core")}";
      import { json } from "${moduleOf("serializer-json")}";
      import { msgpack } from "${moduleOf("serializer-msgpack")}";
      const schema = ({ at }) => {
        if (!(at instanceof Date)) throw new TypeError("It is no date.");
      };
      const additionalDeserializers = [msgpack()];
      export default { pipeline: createPipeline({ serializer: json(), additionalDeserializers, schema, readBack: false }) };`,
    );
    const input = encoded({ at: new Date(0) }, "msgpack").body as Uint8Array;
    const labels = ["--content-type", "application/vnd.msgpack"];
    const ended = await runCommand(["transcode", "--config", config, ...labels, "--out", "at.json"], {
      cwd: folder.path,
      input,
    });
    expect(ended).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("was written, but a reader could not read it"),
    });
    expect(existsSync(join(folder.path, "at.json"))).toBe(false);
  });

  it("exits with 1 when the body cannot be deserialized, and with 2 for an unknown serializer", async () => {
    expect(await runCommand(["transcode"], { input: Uint8Array.of(0xff) })).toMatchObject({
      exitCode: 1,
      stdout: "",
    });
    const ended = await runCommand(["transcode", "--as", "cbor"], { input: "{}" });
    expect(ended).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no serializer of the pipeline is named "cbor"'),
    });
  });
});

describe("waybill golden check", () => {
  it("exits with 0 if nothing changed, with 1 if a format is lost", async () => {
    await using folder = await openFolder();
    await using broker = createBroker();
    await broker.createQueue("orders");
    await fill(broker, "orders", [encoded({ id: 1 }), encoded({ id: 2 }, "msgpack")]);
    const { messages } = await captureGoldenMessages({
      transport: localTransport(broker),
      catalog: localCatalog(broker),
      pipeline: createPipeline({ serializer: json(), additionalDeserializers: [msgpack()] }),
    });
    await writeGoldenMessages(join(folder.path, "golden"), messages);

    const good = await runCommand(["golden", "check", "golden"], { cwd: folder.path });
    expect(good).toMatchObject({ exitCode: 0, stderr: "" });
    expect(good.json()).toEqual({ checked: 2, failures: [] });
    const config = fixture("json-only.config.mjs");
    const bad = await runCommand(["golden", "check", "golden", "--config", config], { cwd: folder.path });
    expect(bad.exitCode).toBe(1);
    expect(bad.json()).toMatchObject({ checked: 2, failures: [{ kind: "lost-support" }] });
    const nothing = await runCommand(["golden", "check", folder.path]);
    expect(nothing).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining("holds no golden messages"),
    });
  });
});
