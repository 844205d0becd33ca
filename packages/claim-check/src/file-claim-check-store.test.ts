import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { fileClaimCheckStore } from "./index.js";

describe("fileClaimCheckStore", () => {
  it("creates its directory with the first body, for its owner only", async () => {
    await using place = await openPlace();
    const directory = join(place.directory, "deep", "bodies");
    const store = fileClaimCheckStore(directory);
    await store.put("2026-11-05/a", Uint8Array.of(1), {});
    expect((await readdir(directory)).sort()).toEqual([".unfinished", ".waybill-claim-check", "2026-11-05"]);
    expect((await stat(join(directory, "2026-11-05", "a"))).mode & 0o777).toBe(0o600);
    expect((await stat(join(directory, "2026-11-05"))).mode & 0o777).toBe(0o700);
  });

  it("refuses keys outside its directory", async () => {
    await using place = await openPlace();
    const store = fileClaimCheckStore(join(place.directory, "bodies"));
    await writeFile(join(place.directory, "secret"), "secret");
    await store.put("a", Uint8Array.of(1), {});
    const hostile = [
      "../secret",
      "a/../../secret",
      "/etc/passwd",
      ".waybill-claim-check",
      "a\\..\\b",
      "a\0",
      "",
      ".",
    ];
    for (const key of hostile) {
      await expect(store.get(key, { maxBytes: 100 }), key).rejects.toThrow(TypeError);
      await expect(store.put(key, Uint8Array.of(1), {}), key).rejects.toThrow(TypeError);
      await expect(store.delete(key), key).rejects.toThrow(TypeError);
    }
    const anything = fc.asyncProperty(fc.string({ unit: "binary", maxLength: 30 }), async (key) => {
      const found = await store.get(`${key}/../secret`, { maxBytes: 100 }).catch(() => undefined);
      expect(found).toBeUndefined();
    });
    await fc.assert(anything, { numRuns: 200 });
    expect(await readFile(join(place.directory, "secret"), "utf8")).toBe("secret");
  });

  it("does not follow a symbolic link instead of a body", async () => {
    await using place = await openPlace();
    const store = fileClaimCheckStore(place.directory);
    await store.put("a", Uint8Array.of(1), {});
    await symlink("/etc/hostname", join(place.directory, "link"));
    expect(await store.get("link", { maxBytes: 100 })).toBeUndefined();
  });

  it("is unavailable, not empty, if its directory is not mounted", async () => {
    await using place = await openPlace();
    const mountPoint = join(place.directory, "share");
    const store = fileClaimCheckStore(mountPoint);
    await expect(store.get("2026-11-05/a", { maxBytes: 1 })).rejects.toMatchObject({ code: "ENOENT" });
    await mkdir(mountPoint);
    await expect(store.get("2026-11-05/a", { maxBytes: 1 })).rejects.toMatchObject({ code: "ENOENT" });
    await store.put("2026-11-05/b", Uint8Array.of(1), {});
    expect(await store.get("2026-11-05/a", { maxBytes: 1 })).toBeUndefined();
  });

  it("leaves no files when a call is aborted", async () => {
    await using place = await openPlace();
    const store = fileClaimCheckStore(place.directory);
    const giving = new AbortController();
    const putting = store.put("a", new Uint8Array(50_000_000), { abortSignal: giving.signal });
    giving.abort();
    await expect(putting).rejects.toThrow();
    expect(await store.get("a", { maxBytes: 1 })).toBeUndefined();
    expect(await readdir(join(place.directory, ".unfinished"))).toEqual([]);
  });

  it("deletes bodies that are older than a time, and empty folders of past days", async () => {
    await using place = await openPlace();
    const store = fileClaimCheckStore(place.directory);
    const keys = ["2026-10-01/a", "2026-10-01/b", "2026-11-05/c", "2026-11-05/d"];
    for (const key of keys) await store.put(key, Uint8Array.of(1), {});
    const half = join(place.directory, ".unfinished", "half");
    await writeFile(half, "half");
    for (const old of [keys[0]!, keys[1]!, keys[2]!, ".unfinished/half"]) {
      await utimes(join(place.directory, old), new Date("2026-10-01"), new Date("2026-10-01"));
    }
    expect(await store.deleteOlderThan(new Date("2026-11-05T00:00:00Z"))).toBe(3);
    expect((await readdir(place.directory)).sort()).toEqual([
      ".unfinished",
      ".waybill-claim-check",
      "2026-11-05",
    ]);
    expect(await readdir(join(place.directory, "2026-11-05"))).toEqual(["d"]);
    expect(await readdir(join(place.directory, ".unfinished"))).toEqual([]);
    await expect(store.deleteOlderThan(new Date(Number.NaN))).rejects.toThrow(TypeError);
  });

  it("has only complete bodies, and all acknowledged ones, after its process was killed", {
    timeout: 60_000,
  }, async () => {
    await using place = await openPlace();
    const program = `
      const { fileClaimCheckStore } = await import(${JSON.stringify(builtIndex)});
      const store = fileClaimCheckStore(process.argv[1]);
      for (let n = 0; ; n++) {
        const key = "run/" + process.pid + "-" + n;
        await store.put(key, new Uint8Array(200_000).fill(n & 0xff), {});
        process.stdout.write(key + "\\n");
      }`;
    const acknowledged = new Set<string>();
    for (const lines of [1, 3, 8, 15]) {
      for (const key of await runUntilKilled(program, place.directory, lines)) acknowledged.add(key);
    }
    const store = fileClaimCheckStore(place.directory);
    const names = await readdir(join(place.directory, "run"));
    expect(names.length).toBeGreaterThanOrEqual(acknowledged.size);
    for (const name of names) {
      const n = Number(name.split("-")[1]) & 0xff;
      const body = await store.get(`run/${name}`, { maxBytes: 200_000 });
      expect(body!.length === 200_000 && body!.every((byte) => byte === n), name).toBe(true);
      acknowledged.delete(`run/${name}`);
    }
    expect([...acknowledged]).toEqual([]);
  });
});

const builtIndex = fileURLToPath(new URL("../dist/index.js", import.meta.url));

/** Starts a program and kills it after a number of lines; resolves with its lines. */
function runUntilKilled(program: string, directory: string, lines: number): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", program, directory]);
    let output = "";
    child.stdout.on("data", (chunk) => {
      output += chunk;
      if (output.split("\n").length > lines) child.kill("SIGKILL");
    });
    child.stderr.on("data", (chunk) => reject(new Error(String(chunk))));
    child.on("close", () => resolve(output.split("\n").slice(0, -1)));
  });
}

async function openPlace() {
  const directory = await mkdtemp(join(tmpdir(), "waybill-claim-check-"));
  return { directory, [Symbol.asyncDispose]: () => rm(directory, { recursive: true }) };
}
