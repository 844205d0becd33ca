import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { createInterface } from "node:readline";
import { run } from "waybill-harness/run-program.js";
import { root } from "../workspace.js";
import { ignoresOf, instructionsOf } from "./dockerfile.js";

// Does what docker/Dockerfile says, without Docker: copies what .dockerignore leaves, runs the steps in folders of its own instead of those of the
// image, removes what the second stage does not have, and starts the container's command, whose health it checks as Docker does. The user of the
// image and its base are not there. Exits with 1 when a step fails.

const folder = await mkdtemp(join(tmpdir(), "waybill-image-"));
const places: Readonly<Record<string, string>> = Object.fromEntries(
  ["workspace", "app", "data"].map((name) => [`/${name}`, join(folder, name)]),
);
const health: string[] = [];
const command: string[] = [];
let current = folder;
try {
  for (const { name, value } of instructionsOf(await readFile(`${root}docker/Dockerfile`, "utf8"))) {
    console.log(`${name} ${value}`);
    await perform(name, value);
  }
  await rm(join(folder, "workspace"), { recursive: true });
  await expectHealthy();
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function perform(name: string, value: string): Promise<void> {
  switch (name) {
    case "WORKDIR":
      current = here(value);
      await mkdir(current, { recursive: true });
      return;
    case "COPY":
      // Both stages have the same folders here.
      if (value === ". .") await copyContext();
      else if (!/^--from=build (\S+) \1$/.test(value)) throw new TypeError(`This cannot be copied: ${value}`);
      return;
    case "RUN":
      // Users are those of the image.
      await run("sh", ["-ec", here(value.replace(/ && chown \S+ \S+/, ""))], { cwd: current });
      return;
    case "HEALTHCHECK":
      health.push(...(JSON.parse(value.replace(/^.*?CMD /s, "")) as string[]));
      return;
    case "ENTRYPOINT":
    case "CMD":
      command.push(...(JSON.parse(here(value)) as string[]));
      return;
    case "FROM":
    case "ENV":
    case "USER":
    case "VOLUME":
    case "EXPOSE":
      return;
    default:
      throw new TypeError(`The Dockerfile has an instruction that is not known here: ${name}`);
  }
}

async function copyContext(): Promise<void> {
  const isIgnored = ignoresOf(await readFile(`${root}.dockerignore`, "utf8"));
  await cp(root, current, { recursive: true, filter: (path) => !isIgnored(relative(root, path)) });
  const left = (await readdir(current, { recursive: true })).filter((path) =>
    ["node_modules", "dist", ".git"].includes(basename(path)),
  );
  if (left.length > 0) throw new Error(`The image would get what is built elsewhere: ${left.join(", ")}`);
}

/** The container is healthy once its command is ready, and not when it has ended. */
async function expectHealthy(): Promise<void> {
  const [program = "", ...args] = command.map((part) => (part === "5300" ? "0" : part));
  const child = spawn(program, [...args, "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "close");
  let port = "";
  for await (const line of createInterface({ input: child.stdout })) {
    console.log(`  ${line.replace(/SharedAccessKey=[^;]+/, "SharedAccessKey=…")}`);
    port = /health {2}http:\/\/\S+:(\d+)\//.exec(line)?.[1] ?? port;
    if (line.startsWith("Ready")) break;
  }
  const [probe = "", ...probed] = health.map((part) => part.replace(":5672/", `:${port}/`));
  await run(probe, probed);
  child.kill("SIGTERM");
  const [exitCode] = await ended;
  if (exitCode !== 0) throw new Error(`The container ended with ${exitCode}.`);
  const isStillHealthy = await run(probe, probed).then(
    () => true,
    () => false,
  );
  if (isStillHealthy) throw new Error("The health check passes when nothing runs.");
  console.log("healthy while it ran, and ended with 0");
}

/** A text with the folders of this run instead of those of the image. */
function here(text: string): string {
  return text.replace(/\/(?:workspace|app|data)\b/g, (place) => places[place] ?? place);
}
