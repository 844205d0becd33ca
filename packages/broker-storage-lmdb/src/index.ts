export { findDiskFailure } from "./directory/store-directory.js";
export {
  type DurableStorageOptions,
  openDurableStorage,
} from "./durable-storage.js";
