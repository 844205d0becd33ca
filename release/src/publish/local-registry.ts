import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { installTool } from "waybill-harness/install-tool.js";
import { freePorts } from "waybill-harness/ports.js";
import { run } from "waybill-harness/run-program.js";

/** Verdaccio needs Node ≥ 22, so it runs under a Node of its own. One of its plug-ins asks for a tag that few registries have. */
const tools = {
  dependencies: { node: "24", verdaccio: "6.10.4" },
  overrides: { "node-fetch": "2.7.0" },
};

/** A registry on this machine, with an account that may publish. */
export interface LocalRegistry {
  readonly url: string;
  /** The lines of `.npmrc` with which npm uses it. */
  readonly npmrc: string;
  close(): Promise<void>;
}

/** Starts an empty verdaccio in a folder. What is not published to it comes from the registry that npm uses here. */
export async function openLocalRegistry(folder: string): Promise<LocalRegistry> {
  const verdaccio = await installTool("verdaccio", tools, ".bin/verdaccio");
  const { stdout } = await run("npm", ["config", "get", "registry"], { cwd: folder });
  const [port] = await freePorts(1);
  const config = join(folder, "verdaccio.yaml");
  await writeFile(config, configuration(folder, stdout.trim()));
  const child = spawn(verdaccio, ["--config", config, "--listen", `127.0.0.1:${port}`], {
    env: { ...process.env, PATH: `${dirname(verdaccio)}:${process.env.PATH}` },
    stdio: ["ignore", "ignore", "inherit"],
  });
  const url = `http://127.0.0.1:${port}/`;
  const token = await addAccount(url, child);
  return {
    url,
    npmrc: `registry=${url}\n//127.0.0.1:${port}/:_authToken=${token}\n`,
    async close() {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    },
  };
}

function configuration(folder: string, uplink: string): string {
  const rules = (lines: readonly string[]) => lines.map((line) => `    ${line}\n`).join("");
  return `storage: ${join(folder, "storage")}
auth:
  htpasswd:
    file: ${join(folder, "htpasswd")}
uplinks:
  usual:
    url: ${uplink}
packages:
  "@waybill/*":
${rules(["access: $all", "publish: $authenticated"])}  "waybill":
${rules(["access: $all", "publish: $authenticated"])}  "**":
${rules(["access: $all", "proxy: usual"])}max_body_size: 100mb
log: { type: stdout, level: fatal }
`;
}

/** Asks until the registry answers, then makes an account and returns its token. */
async function addAccount(url: string, child: ChildProcess): Promise<string> {
  const body = JSON.stringify({ name: "release", password: crypto.randomUUID() });
  for (let attempt = 0; attempt < 300; attempt++) {
    if (child.exitCode !== null) throw new Error(`The registry ended with ${child.exitCode}.`);
    const answer = await fetch(`${url}-/user/org.couchdb.user:release`, {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body,
    }).catch(() => undefined);
    if (answer?.ok) return ((await answer.json()) as { token: string }).token;
    await pause(200);
  }
  throw new Error("The registry did not respond.");
}
