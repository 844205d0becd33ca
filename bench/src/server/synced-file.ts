import { fdatasync, openSync, writev } from "node:fs";
import { join } from "node:path";

/** A file to which bytes are appended in groups, each with one sync: what arrives during a sync is the next group. */
export interface SyncedFile {
  /** `onSynced` is called once the disk has the bytes. */
  append(bytes: Uint8Array, onSynced: () => void): void;
}

/** Creates a file in a directory: the least that a durable server does on a disk. */
export function openSyncedFile(directory: string): SyncedFile {
  const descriptor = openSync(join(directory, "appended"), "a");
  let bytes: Uint8Array[] = [];
  let waiting: (() => void)[] = [];
  let isWriting = false;
  const write = (): void => {
    const group = waiting;
    const parts = bytes;
    waiting = [];
    bytes = [];
    isWriting = group.length > 0;
    if (!isWriting) return;
    writev(descriptor, parts, (failure) => {
      if (failure !== null) throw failure;
      fdatasync(descriptor, (error) => {
        if (error !== null) throw error;
        for (const onSynced of group) onSynced();
        write();
      });
    });
  };
  return {
    append(chunk, onSynced) {
      bytes.push(chunk);
      waiting.push(onSynced);
      if (!isWriting) write();
    },
  };
}
