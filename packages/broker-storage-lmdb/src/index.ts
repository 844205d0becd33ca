export {
  type DurableStorageOptions,
  openDurableStorage,
} from "./durable-storage.js";
