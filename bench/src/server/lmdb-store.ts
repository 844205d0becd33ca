import { join } from "node:path";
import { open } from "lmdb";
import rhea, { type Message } from "rhea";

/** Opens messages in an LMDB store of its own, synced in the groups that LMDB's binding makes of them: what is written first by hand. */
export function openStore(directory: string) {
  const records = open<Buffer, number>({
    path: join(directory, "messages.mdb"),
    encoding: "binary",
    overlappingSync: false,
  });
  const keys = new WeakMap<Message, number>();
  let last = 0;
  return {
    /** Resolves once the disk has synced all of them. */
    put(messages: readonly Message[]) {
      return Promise.all(
        messages.map((message) => {
          keys.set(message, ++last);
          return records.put(last, rhea.message.encode(message) as unknown as Buffer);
        }),
      );
    },
    /** Resolves once the disk has synced the removal. */
    async remove(message: Message) {
      const key = keys.get(message);
      if (key !== undefined) await records.remove(key);
    },
  };
}
