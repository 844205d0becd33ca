import { join } from "node:path";
import { open } from "lmdb";
import rhea, { type Message } from "rhea";

/** Messages in an LMDB store, synced in the groups that LMDB's binding makes of them: what is written first by hand. */
export interface MessageStore {
  /** Resolves once the disk has synced all of them. */
  put(messages: readonly Message[]): Promise<unknown>;
  /** Resolves once the disk has synced the removal. */
  remove(message: Message): Promise<unknown>;
}

/** Opens a store of its own in a directory. */
export async function openStore(directory: string): Promise<MessageStore> {
  const records = open<Buffer, number>({
    path: join(directory, "messages.mdb"),
    encoding: "binary",
    overlappingSync: false,
  });
  const keys = new WeakMap<Message, number>();
  let last = 0;
  return {
    put(messages) {
      return Promise.all(
        messages.map((message) => {
          keys.set(message, ++last);
          return records.put(last, rhea.message.encode(message) as unknown as Buffer);
        }),
      );
    },
    async remove(message) {
      const key = keys.get(message);
      if (key !== undefined) await records.remove(key);
    },
  };
}
