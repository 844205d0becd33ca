import { BrokerError } from "@waybill/broker";

/** What is wrong with a disk, and what to do, by the system's error code. */
const reasons: Readonly<Record<string, readonly [reason: string, remedy: string]>> = {
  ENOSPC: ["the disk is full", "Make room and start again"],
  EDQUOT: ["the disk quota is used up", "Make room and start again"],
  EFBIG: ["files may not grow that far", "Raise the limit and start again"],
  EROFS: ["the disk is read-only", "Mount it writable and start again"],
  EACCES: ["this process has no right to write there", "Give it the right and start again"],
  EPERM: ["this process has no right to write there", "Give it the right and start again"],
  EIO: ["the disk reports an error of its own", "Check it and start again"],
  EMFILE: ["this process has too many files open", "Raise the limit and start again"],
  ENFILE: ["this computer has too many files open", "Raise the limit and start again"],
  ENOLCK: ["its file system has no file locks", "Use a local disk"],
  ENOTSUP: ["its file system has no file locks", "Use a local disk"],
  EOPNOTSUPP: ["its file system has no file locks", "Use a local disk"],
};

/** The error for a directory that the disk or operating system does not let us use; the text says what to do. */
export function storageFailure(directory: string, what: string, cause: unknown): BrokerError {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason = reasons[code ?? ""]?.join(". ") ?? message;
  const text = `Cannot open the store in '${directory}': ${what}: ${reason}. Nothing was changed.`;
  return new BrokerError("storage-failed", text, { cause });
}

/** What is wrong with a disk, such as "the disk is full". */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return reasons[code ?? ""]?.[0] ?? message;
}

/** Whether an error comes from the operating system, and so does not concern the store's content. */
export function isSystemError(error: unknown): boolean {
  const { code } = (error ?? {}) as NodeJS.ErrnoException;
  return typeof code === "string" && Object.hasOwn(reasons, code);
}
