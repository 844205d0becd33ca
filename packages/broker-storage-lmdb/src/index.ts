export {
  type DurableStorageOptions,
  defaultDurableStorageOptions,
  openDurableStorage,
} from "./durable-storage.js";
