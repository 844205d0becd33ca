export {
  DEFAULT_DURABLE_STORAGE_OPTIONS,
  type DurableStorageOptions,
  openDurableStorage,
} from "./durable-storage.js";
