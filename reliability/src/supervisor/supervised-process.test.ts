import { describe, expect, it } from "vitest";
import { SupervisedProcess } from "waybill-harness/supervised-process.js";
import { SupervisedServer } from "./supervised-server.js";

function program(text: string): readonly [string, ...string[]] {
  return [process.execPath, "-e", text];
}

/** Reports that it is ready, answers each message with the same message, and does not end. */
const echo = program('process.on("message", (text) => process.send(text)); process.send("ready");');

describe("a supervised process", () => {
  it("reports when it is ready, answers, and is killed without a finding", async () => {
    const child = new SupervisedProcess({ command: echo });
    expect(await child.ready).toBe("ready");
    expect(await child.ask("hello")).toBe("hello");
    await child.killAfter("ready", 0);
    expect(await child.exit).toBeNull();
    expect(child.findings).toEqual([]);
  });

  it("that ends by itself has a finding", async () => {
    const failed = new SupervisedProcess({ command: program("process.exit(3)") });
    expect(await failed.exit).toBe(3);
    expect(failed.findings).toEqual(["the process ended by itself with 3"]);
    const done = new SupervisedProcess({ command: program("") });
    await done.killAfter("ready", 0);
    expect(done.findings).toEqual(["the process ended by itself with 0"]);
    const server = new SupervisedProcess({ command: program(""), mustStay: true });
    await server.exit;
    expect(server.findings).toEqual(["the process ended by itself with 0"]);
  });

  it("keeps its lines, one of which can report that it is ready", async () => {
    const command = program('console.log("wait"); console.log("go"); console.error("odd");');
    const child = new SupervisedProcess({
      command,
      isReadyLine: (line) => line === "go",
      isStderrFinding: true,
    });
    expect(await child.ready).toBe("go");
    await child.exit;
    expect(child.stdout).toEqual(["wait", "go"]);
    expect(child.findings).toEqual(["the process wrote to stderr: odd"]);
  });

  it("does not answer after it has ended", async () => {
    const child = new SupervisedProcess({ command: program('process.on("message", () => process.exit(4))') });
    await expect(child.ask("hello")).rejects.toThrow("The process ended with 4 before it answered.");
  });

  it("stops on request, or is killed if that takes too long", async () => {
    const willing = new SupervisedProcess({
      command: program('process.on("message", () => process.exit()); process.send("ready")'),
    });
    await willing.ready;
    expect(await willing.stop("stop", 20_000)).toBe(0);
    const stubborn = new SupervisedProcess({ command: echo });
    await stubborn.ready;
    expect(await stubborn.stop("stop", 1)).toBeNull();
    expect(stubborn.findings).toEqual([]);
  });
});

describe("a supervised server", () => {
  it("restarts on its port, and keeps the findings of all its processes", async () => {
    const ports: number[] = [];
    const server = new SupervisedServer((port) => {
      ports.push(port);
      const listening = `process.send({ port: 5000, connectionString: "sb://localhost:5000" })`;
      return {
        command: program(`console.error("odd"); setInterval(() => {}, 1000); ${listening}`),
        isStderrFinding: true,
      };
    });
    await server.start();
    await server.restart();
    await server.kill();
    expect(ports).toEqual([0, 5000]);
    expect(server.starts).toHaveLength(2);
    expect(server.connectionString).toBe("sb://localhost:5000");
    expect(server.findings).toEqual(["the process wrote to stderr: odd", "the process wrote to stderr: odd"]);
  });
});
