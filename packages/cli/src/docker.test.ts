import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { openFolder } from "./environments.test-support.js";

const docker = (name: string) => fileURLToPath(new URL(`../../../docker/${name}`, import.meta.url));
const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url));

/** Starts the broker with the arguments of a container, but with free ports and a temporary directory. */
async function startAsContainer(args: readonly string[]): Promise<string> {
  await using folder = await openFolder();
  const own: Record<string, string> = {
    "/data": join(folder.path, "data"),
    "/config/Config.json": docker("Config.json"),
    "5300": "0",
  };
  const replaced = args.map((one) => own[one] ?? one);
  const child: ChildProcess = spawn(process.execPath, [bin, "broker", ...replaced, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, WAYBILL_BROKER_KEY: "SAS_KEY_VALUE" },
  });
  const ended = once(child, "close");
  let text = "";
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    text += `${line}\n`;
    if (line.startsWith("Ready")) break;
  }
  const [, health = ""] = /health {2}(\S+)/.exec(text) ?? [];
  expect((await fetch(health)).status).toBe(200);
  child.kill("SIGTERM");
  expect(await ended).toEqual([0, null]);
  return text;
}

describe("the job for GitHub Actions", () => {
  it("starts a broker, and gives its connection string to the steps after it", async () => {
    await using folder = await openFolder();
    const yaml = await readFile(docker("github-actions.yaml"), "utf8");
    const [, step = ""] = /name: Start the broker\n\s+run: \|\n((?: {10}.*\n)+)/.exec(yaml) ?? [];
    const at = (name: string) => join(folder.path, name);
    await writeFile(at("Config.json"), await readFile(docker("Config.json")));
    // What `npx` runs once the package is installed, on a free port.
    const npx = `#!/bin/sh\nshift\necho $$ > pid\nexec "${process.execPath}" "${bin}" "$@" --port 0\n`;
    await writeFile(at("npx"), npx, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder.path}:${process.env.PATH}`, GITHUB_ENV: at("env") };
    const shell = promisify(execFile);
    await shell("bash", ["-e", "-c", step], { cwd: folder.path, env });
    try {
      const [, connectionString] =
        /^SERVICEBUS_CONNECTION_STRING=(.+)$/m.exec(await readFile(at("env"), "utf8")) ?? [];
      const [, address = ""] =
        /Endpoint=sb:\/\/([^;]+);.*;UseDevelopmentEmulator=true$/.exec(connectionString ?? "") ?? [];
      expect((await fetch(`http://${address}/health`)).status).toBe(200);
    } finally {
      process.kill(Number(await readFile(at("pid"), "utf8")), "SIGTERM");
    }
  });
});

describe("the container", () => {
  it("starts with the Dockerfile's arguments, as a non-root user", async () => {
    const file = await readFile(docker("Dockerfile"), "utf8");
    expect(file).toContain("USER node");
    expect(file).toContain("HEALTHCHECK");
    const [, args = "[]"] = /^CMD (\[.*\])$/m.exec(file) ?? [];
    expect(await startAsContainer(JSON.parse(args))).toContain("of 0.0.0.0: AMQP");
  });

  it("starts with the arguments of the compose file and its configuration", async () => {
    const [, args = "[]"] = /command:\s+(\[.*\])/.exec(await readFile(docker("compose.yaml"), "utf8")) ?? [];
    expect(await startAsContainer(JSON.parse(args))).toContain("1 queue, 1 topic, 1 subscription");
  });
});
