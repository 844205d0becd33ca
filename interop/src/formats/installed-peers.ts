import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

/** Where other libraries are installed, beside the workspace. */
export const peersFolder = fileURLToPath(new URL("../../../bench/peers/", import.meta.url));

/** What is used of `@confluentinc/schemaregistry`. */
export interface ConfluentPeer {
  readonly MockClient: new (
    options: object,
  ) => { register(subject: string, schema: object): Promise<number> };
  readonly SerdeType: { readonly VALUE: unknown };
  readonly AvroSerializer: SerializerClass;
  readonly AvroDeserializer: DeserializerClass;
  readonly JsonSerializer: SerializerClass;
  readonly JsonDeserializer: DeserializerClass;
}

type SerializerClass = new (
  client: object,
  type: unknown,
  options: object,
) => { serialize(topic: string, value: unknown): Promise<Buffer> };

type DeserializerClass = new (
  client: object,
  type: unknown,
  options: object,
) => { deserialize(topic: string, bytes: Buffer): Promise<unknown> };

/** Loads a library of the folder; installs all of them first where they are not there yet. */
export function loadPeer<Peer>(name: string): Peer {
  if (!existsSync(`${peersFolder}node_modules/@confluentinc`)) {
    console.error("Installing the peers (190 MB) into bench/peers …");
    execFileSync("npm", ["install"], { cwd: peersFolder, stdio: ["ignore", "ignore", "inherit"] });
  }
  return createRequire(peersFolder)(name) as Peer;
}
