/** The part of the library that is used here; it comes without types. */
declare module "fs-native-extensions" {
  /** Locks bytes of an open file for its file description alone; false where another one has them. The kernel ends it with the description. */
  export function tryLock(descriptor: number, offset: number, length: number): boolean;
}
