/** The part of the library used here; it has no types. */
declare module "fs-native-extensions" {
  /**
   * Locks bytes of an open file for this file description; returns false if another one has locked them. Closing the description releases
   * the lock.
   */
  export function tryLock(descriptor: number, offset: number, length: number): boolean;
}
