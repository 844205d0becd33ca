import { Buffer } from "node:buffer";
import { spawn } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { BrokerError, openBroker } from "@waybill/broker";
import { describe, expect, it } from "vitest";
import { openDurableStorage } from "./durable-storage.js";
import { load, messageRecord } from "./fixture.test-support.js";

function temporaryDirectory(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), "durable-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

async function refusalOf(promise: Promise<unknown>): Promise<BrokerError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (error instanceof BrokerError) return error;
  throw new Error("expected a BrokerError", { cause: error });
}

async function openAndLoad(directory: string) {
  const storage = await openDurableStorage(directory);
  return { storage, loaded: await load(storage) };
}

/** A closed store with records of every kind, long values and free pages. */
async function fill(directory: string): Promise<void> {
  const { storage } = await openAndLoad(directory);
  for (let round = 0; round < 4; round++) {
    for (let i = 1; i <= 60; i++) {
      const size = i % 20 === 0 ? 9000 : 40 + i;
      storage.putMessage(1, round * 60 + i, messageRecord(storage.putBody(new Uint8Array(size).fill(i))));
      if (round > 0 && i % 2 === 0) storage.deleteMessage(1, (round - 1) * 60 + i);
    }
    storage.putEntity(1, { round });
    storage.putCounter(1, round * 60 + 61);
    storage.putSession(1, `s${round}`, { state: new Uint8Array([round]), updatedAtMs: round });
    storage.putDuplicate(1, `d${round}`, round);
    await storage.commit();
  }
  await storage.close();
}

async function contentOf(directory: string): Promise<unknown> {
  const { storage, loaded } = await openAndLoad(directory);
  const bodies = loaded.messages.map(([, , { content }]) =>
    Buffer.from(storage.readBody(content.bodyId)).toString("base64"),
  );
  await storage.close();
  return { ...loaded, bodies };
}

describe("openDurableStorage", () => {
  it("creates a missing directory, and a store in an empty one", async () => {
    using directory = temporaryDirectory();
    for (const path of [directory.path, join(directory.path, "deep", "er")]) {
      const { storage, loaded } = await openAndLoad(path);
      expect(loaded.messages).toEqual([]);
      await storage.close();
      expect(existsSync(join(path, "store.mdb"))).toBe(true);
    }
  });

  it.skipIf(process.platform === "win32")(
    "creates a directory that other users of the host cannot read",
    async () => {
      using directory = temporaryDirectory();
      const path = join(directory.path, "deep", "er");
      await (await openDurableStorage(path)).close();
      expect(statSync(path).mode & 0o777).toBe(0o700);
    },
  );

  it("creates nothing if the store must exist", async () => {
    using directory = temporaryDirectory();
    const missing = join(directory.path, "missing");
    const refusal = await refusalOf(openDurableStorage(missing, { mustExist: true }));
    expect(refusal.code).toBe("storage-unreadable");
    expect(refusal.message).toContain(
      `'${missing}': there is no such directory. Nothing was changed. Check the path.`,
    );
    expect((await refusalOf(openDurableStorage(directory.path, { mustExist: true }))).message).toContain(
      "it holds no store",
    );
    expect(readdirSync(directory.path)).toEqual([]);
  });

  it("refuses invalid options", async () => {
    await expect(openDurableStorage("")).rejects.toThrow(TypeError);
    await expect(openDurableStorage("a", { mustExist: 1 as unknown as boolean })).rejects.toThrow(TypeError);
    await expect(openDurableStorage("a", { mustExists: true } as never)).rejects.toThrow(
      'openDurableStorage: there is no option "mustExists"; did you mean "mustExist"?',
    );
  });

  it("refuses a directory with other content, and does not change it", async () => {
    using directory = temporaryDirectory();
    writeFileSync(join(directory.path, "letter.txt"), "dear");
    const refusal = await refusalOf(openDurableStorage(directory.path));
    expect(refusal.code).toBe("storage-unreadable");
    expect(refusal.message).toContain("it is not a store and not empty: it contains 'letter.txt'");
    expect(readdirSync(directory.path)).toEqual(["letter.txt"]);
  });

  it("refuses a file instead of a directory", async () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, "file");
    writeFileSync(file, "");
    expect((await refusalOf(openDurableStorage(file))).message).toContain("it is not a directory");
  });

  it("refuses a store of another format", async () => {
    using directory = temporaryDirectory();
    await fill(directory.path);
    writeFileSync(
      join(directory.path, "store.json"),
      JSON.stringify({ kind: "waybill-broker-store", format: 3 }),
    );
    const refusal = await refusalOf(openDurableStorage(directory.path));
    expect(refusal.code).toBe("storage-unreadable");
    expect(refusal.message).toContain("it has format 3, and this version of the broker reads format 1");
  });

  it("refuses a store whose data file is missing or empty", async () => {
    using directory = temporaryDirectory();
    await fill(directory.path);
    const file = join(directory.path, "store.mdb");
    truncateSync(file, 0);
    expect((await refusalOf(openDurableStorage(directory.path))).message).toContain("missing or empty");
    rmSync(file);
    expect((await refusalOf(openDurableStorage(directory.path))).message).toContain("missing or empty");
  });

  it("completes a store whose creation was interrupted", async () => {
    using directory = temporaryDirectory();
    const { storage } = await openAndLoad(directory.path);
    await storage.close();
    rmSync(join(directory.path, "store.json"));
    const { storage: next } = await openAndLoad(directory.path);
    await next.close();
    expect(existsSync(join(directory.path, "store.json"))).toBe(true);
  });

  it("creates a store whose creation was interrupted before anything was written", async () => {
    for (const left of [0, 4096, 6000, 8192]) {
      using directory = temporaryDirectory();
      // Data that was not synced may be zeros after the restart.
      writeFileSync(join(directory.path, "store.mdb"), new Uint8Array(left));
      writeFileSync(join(directory.path, "store.mdb-lock"), new Uint8Array(100));
      writeFileSync(join(directory.path, "store.mdb.marker"), "");
      await fill(directory.path);
      expect(readdirSync(directory.path).sort()).toEqual(["store.json", "store.mdb", "store.mdb-lock"]);
    }
  });

  it("refuses a store without its marker, instead of overwriting its records", async () => {
    using directory = temporaryDirectory();
    await fill(directory.path);
    const before = readFileSync(join(directory.path, "store.mdb"));
    rmSync(join(directory.path, "store.json"));
    expect((await refusalOf(openDurableStorage(directory.path))).message).toContain("store.json is missing");
    expect(readFileSync(join(directory.path, "store.mdb")).equals(before)).toBe(true);
  });

  it("never returns wrong content of a damaged file: it refuses the file, or its content is complete", async () => {
    using directory = temporaryDirectory();
    using copy = temporaryDirectory();
    await fill(directory.path);
    const expected = await contentOf(directory.path);
    const original = readFileSync(join(directory.path, "store.mdb"));
    copyFileSync(join(directory.path, "store.json"), join(copy.path, "store.json"));
    const outcomes = { refused: 0, identical: 0 };
    const attempt = async (bytes: Buffer) => {
      writeFileSync(join(copy.path, "store.mdb"), bytes);
      try {
        expect(await contentOf(copy.path)).toEqual(expected);
        outcomes.identical++;
      } catch (error) {
        if (!(error instanceof BrokerError)) throw error;
        expect(error.code).toBe("storage-unreadable");
        expect(error.message).toContain(copy.path);
        outcomes.refused++;
      }
    };
    let seed = 1;
    const random = (below: number) => {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fffffff;
      return seed % below;
    };
    for (let i = 0; i < 200; i++) {
      const flipped = Buffer.from(original);
      // Half of the damage is in the headers, where it has the most effect.
      const at = i % 2 === 0 ? random(2) * 4096 + random(160) : random(original.byteLength);
      flipped[at]! ^= 1 << random(8);
      await attempt(flipped);
    }
    for (let i = 0; i < 40; i++) await attempt(original.subarray(0, 1 + random(original.byteLength)));
    for (let i = 0; i < 40; i++) {
      const torn = Buffer.from(original);
      const at = random(original.byteLength / 512) * 512;
      await attempt(torn.fill(random(2) * 255, at, at + 512));
    }
    expect(outcomes.refused).toBeGreaterThan(50);
    expect(outcomes.identical).toBeGreaterThan(5);
  }, 30_000);

  it("returns all of a store that is larger than what is kept of its file while loading", async () => {
    using directory = temporaryDirectory();
    const { storage } = await openAndLoad(directory.path);
    const count = 6000;
    for (let i = 1; i <= count; i++) {
      const bytes = new Uint8Array(i % 500 === 0 ? 70_000 : 900).fill(i);
      const record = messageRecord(storage.putBody(bytes));
      storage.putMessage(1, i, { ...record, propertyChanges: { text: "x".repeat(i % 300) } });
    }
    await storage.commit();
    await storage.close();
    expect(statSync(join(directory.path, "store.mdb")).size).toBeGreaterThan(6_000_000);
    const { storage: again, loaded } = await openAndLoad(directory.path);
    const found = loaded.messages.map(([, sequence, { content, propertyChanges }]) => {
      const body = again.readBody(content.bodyId);
      return [sequence, propertyChanges?.text, body.byteLength, body[0], body.at(-1)];
    });
    const sent = Array.from({ length: count }, (_, at) => at + 1).map((i) => {
      return [i, "x".repeat(i % 300), i % 500 === 0 ? 70_000 : 900, i % 256, i % 256];
    });
    expect(found).toEqual(sent);
    await again.close();
  });

  it("keeps the other records complete if one cannot be written", async () => {
    using directory = temporaryDirectory();
    const { storage } = await openAndLoad(directory.path);
    const record = messageRecord(storage.putBody(Buffer.from("a")));
    const unwritable = { ...record, propertyChanges: { a: 1, b: new SharedArrayBuffer(1) } };
    storage.putMessage(1, 1, record);
    expect(() => storage.putMessage(1, 2, unwritable)).toThrow("could not be cloned");
    expect(() => storage.putEntity(1, unwritable.propertyChanges)).toThrow("could not be cloned");
    storage.putEntity(2, { name: "b" });
    await storage.commit();
    await storage.close();
    const { storage: again, loaded } = await openAndLoad(directory.path);
    expect(loaded.messages.map(([, sequence]) => sequence)).toEqual([1]);
    expect(loaded.entities).toEqual(new Map([[2, { name: "b" }]]));
    await again.close();
  });

  it("reopens a refused store after the damage was repaired", async () => {
    using directory = temporaryDirectory();
    await fill(directory.path);
    const file = join(directory.path, "store.mdb");
    const original = readFileSync(file);
    writeFileSync(file, original.subarray(0, 5000));
    const storage = await openDurableStorage(directory.path);
    expect((await refusalOf(load(storage))).message).toContain("Nothing was changed");
    writeFileSync(file, original);
    const { storage: next } = await openAndLoad(directory.path);
    await next.close();
  });
});

describe("the lock on a store", () => {
  it("refuses a second open in the same process until the first was closed", async () => {
    using directory = temporaryDirectory();
    const { storage } = await openAndLoad(directory.path);
    const refusal = await refusalOf(openDurableStorage(directory.path));
    expect(refusal.code).toBe("storage-in-use");
    expect(refusal.message).toContain(`'${directory.path}' is in use by this process`);
    await storage.close();
    const { storage: next } = await openAndLoad(directory.path);
    await next.close();
  });

  it("reports which process has the store, on which host and since when", async () => {
    using directory = temporaryDirectory();
    await using owner = await startOwner(directory.path);
    const refusal = await refusalOf(openDurableStorage(directory.path));
    expect(refusal.code).toBe("storage-in-use");
    expect(refusal.message).toMatch(
      new RegExp(
        `in use by process ${owner.pid} on host '${hostname()}' since \\d{4}-\\d\\d-\\d\\dT[\\d:.]+Z\\. Only`,
      ),
    );
  });

  it("ends with a killed process, with any content of its file", async () => {
    using directory = temporaryDirectory();
    const owner = await startOwner(directory.path);
    await owner[Symbol.asyncDispose]();
    expect(existsSync(join(directory.path, "owner.lock"))).toBe(true);
    const { storage } = await openAndLoad(directory.path);
    await storage.close();
    expect(existsSync(join(directory.path, "owner.lock"))).toBe(false);
  });

  it("relies on the kernel's lock, not on the text of the file", async () => {
    using directory = temporaryDirectory();
    const file = join(directory.path, "owner.lock");
    for (const text of ["", "{", JSON.stringify({ pid: process.ppid, host: hostname(), since: "now" })]) {
      writeFileSync(file, text);
      const { storage } = await openAndLoad(directory.path);
      await storage.close();
    }
    await using _owner = await startOwner(directory.path);
    writeFileSync(file, "{");
    const refusal = await refusalOf(openDurableStorage(directory.path));
    expect(refusal.message).toContain("in use by another process");
  });

  it("is acquired by one of many concurrent opens", async () => {
    using directory = temporaryDirectory();
    const outcomes = await Promise.allSettled(
      Array.from({ length: 20 }, () => openDurableStorage(directory.path)),
    );
    const opened = outcomes.filter((outcome) => outcome.status === "fulfilled");
    expect(opened).toHaveLength(1);
    await opened[0]?.value.close();
  });
});

/** A process that has the store of a directory until it is killed. It runs the output of `tsc -b`. */
async function startOwner(
  directory: string,
): Promise<AsyncDisposable & { readonly pid: number | undefined }> {
  const program = `
    import { openDurableStorage } from ${JSON.stringify(new URL("../dist/index.js", import.meta.url).href)};
    await openDurableStorage(${JSON.stringify(directory)});
    console.log("open");
    setInterval(() => {}, 1000);`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", program], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exit = new Promise((resolve) => child.once("exit", resolve));
  await Promise.race([
    new Promise((resolve) => child.stdout.once("data", resolve)),
    exit.then((code) => Promise.reject(new Error(`the owner ended with ${code}`))),
  ]);
  return {
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill("SIGKILL");
      await exit;
    },
  };
}

describe("a broker on a durable storage", () => {
  it("writes nothing for messages that are sent and completed between two syncs", async () => {
    using directory = temporaryDirectory();
    await using broker = await openBroker({ storage: await openDurableStorage(directory.path) });
    await broker.createQueue("orders");
    const file = join(directory.path, "store.mdb");
    const before = readFileSync(file).byteLength;
    const receiver = broker.receiver("orders", { mode: "receiveAndDelete" });
    for (let i = 0; i < 20; i++) {
      const received = receiver.receive(1);
      await broker.sender("orders").send({ body: { section: "data", bytes: new Uint8Array(200_000) } });
      await received;
    }
    expect(readFileSync(file).byteLength - before).toBeLessThan(200_000);
  });
});
