import { readFileSync } from "node:fs";

const directory = new URL("../fixtures/", import.meta.url);

/** Bodies that .NET's serializer wrote, or that were made from the specification, according to the manifest. */
export const legacyBodies: readonly { readonly name: string; readonly type?: string }[] =
  readJson("legacy/manifest.json");

/** Bodies that must be refused, and why. */
export const malformedBodies: readonly {
  readonly name: string;
  readonly category: string;
  readonly why: string;
}[] = readJson("malformed/manifest.json");

export function readBytes(path: string): Uint8Array {
  return new Uint8Array(readFileSync(new URL(path, directory)));
}

/** An expected value with its tags resolved: `{"$bytes": …}`, `{"$bigint": …}`, `{"$date": …}`, `{"$number": …}`, `{"$map": …}`, `{"$id": …}`. */
export function readExpected(path: string): unknown {
  return untagged(readJson(path), new Map());
}

function readJson<Value>(path: string): Value {
  return JSON.parse(readFileSync(new URL(path, directory), "utf8")) as Value;
}

function untagged(value: unknown, byId: Map<unknown, unknown>): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => untagged(item, byId));
  const tagged = value as Record<string, unknown>;
  if ("$bytes" in tagged) return new Uint8Array(Buffer.from(String(tagged.$bytes), "base64"));
  if ("$bigint" in tagged) return BigInt(String(tagged.$bigint));
  if ("$date" in tagged) return new Date(String(tagged.$date));
  if ("$number" in tagged) return Number(tagged.$number);
  if ("$map" in tagged)
    return new Map((tagged.$map as unknown[][]).map(([key, item]) => [key, untagged(item, byId)]));
  if ("$ref" in tagged) return byId.get(tagged.$ref);
  if ("$id" in tagged) {
    const target: Record<string, unknown> = {};
    byId.set(tagged.$id, target);
    return Object.assign(target, untagged(tagged.$value, byId));
  }
  return Object.fromEntries(Object.entries(tagged).map(([key, item]) => [key, untagged(item, byId)]));
}
