import { type ChildProcess, execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { openFolder } from "./environments.test-support.js";

const bin = fileURLToPath(new URL("../dist/bin.js", import.meta.url));
const page = await readFile(new URL("../../../docs/replacing-the-emulator.md", import.meta.url), "utf8");

/** The code blocks of the page in one language. */
function blocks(language: string): string[] {
  return Array.from(
    page.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm")),
    ([, text = ""]) => text,
  );
}

/** How the page starts the broker. */
const [, start = ""] = /^npx waybill (broker .*)$/m.exec(page) ?? [];

/** The broker with the arguments of the page, but on free ports. */
async function startBroker(config: string) {
  const own = start.replace("Config.json", config).replace("5300", "0").split(" ");
  const child: ChildProcess = spawn(process.execPath, [bin, ...own, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  let text = "";
  for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
    text += `${line}\n`;
    if (line.startsWith("Ready")) break;
  }
  const [, port = ""] = /ports {3}(\d+)/.exec(text) ?? [];
  return {
    text,
    port,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

it("serves the file, the connection string and the programs of the page", async () => {
  await using folder = await openFolder();
  await using broker = await startBroker(await folder.write("Config.json", blocks("json")[0] ?? ""));
  expect(broker.text).toContain("Namespace sbemulatorns, all features, in memory: 2 queues");
  const [usual = ""] = blocks("text");
  const connectionString = usual.trim().replace("localhost", `localhost:${broker.port}`);

  const [program = ""] = blocks("ts file=packages/cli/fixtures/orders.ts");
  const ended = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: fileURLToPath(new URL("..", import.meta.url)),
    env: { ...process.env, SERVICEBUS_CONNECTION_STRING: connectionString },
  });
  expect(ended.stdout).toBe("order-placed { id: 1 }\n");

  await folder.write("npx", `#!/bin/sh\nshift\nexec "${process.execPath}" "${bin}" "$@"\n`);
  const script = blocks("console").find((text) => text.includes("curl")) ?? "";
  const { stdout } = await promisify(execFile)(
    "bash",
    ["-ec", `chmod +x npx; ${script.replace(":5672", `:${broker.port}`)}`],
    {
      cwd: folder.path,
      env: {
        ...process.env,
        PATH: `${folder.path}:${process.env.PATH}`,
        SERVICEBUS_CONNECTION_STRING: connectionString,
      },
    },
  );
  expect(stdout).toBe('{"id":1}');
});

// A network that only the commands of one test see, so that the usual ports are free.
const [unshare, ...own] = ["unshare", "-rn"] as const;
const ownNetwork = "ip link set lo up";
const hasOwnNetwork = spawnSync(unshare, [...own, "sh", "-c", ownNetwork]).status === 0;

it.runIf(hasOwnNetwork)(
  "serves every command with the usual connection string, which has no port",
  async () => {
    await using folder = await openFolder();
    await folder.write("Config.json", blocks("json")[0] ?? "");
    const script = `${ownNetwork}
    waybill() { "${process.execPath}" "${bin}" "$@"; }
    "${process.execPath}" "${bin}" ${start} > broker.log &
    trap 'kill $!; wait $!' EXIT
    until grep -q ^Ready broker.log; do kill -0 $!; sleep 0.1; done
    waybill send orders --body '{"id":1}' > /dev/null
    waybill census --no-json
    waybill broker purge orders
    waybill broker pull pulled.json
    waybill broker push pulled.json
    waybill entities list --no-json`;
    const [usual = ""] = blocks("text");
    const { stdout } = await promisify(execFile)(unshare, [...own, "bash", "-ec", script], {
      cwd: folder.path,
      env: { ...process.env, SERVICEBUS_CONNECTION_STRING: usual.trim() },
    });
    expect(stdout).toMatch(/^orders +.*json/m);
    expect(stdout).toContain("1 removed");
    expect(stdout).toContain("is there    queue orders");
    expect(stdout).toMatch(/^visits +queue/m);
  },
);
