// For authors of storages.
export type { MessageContent, RareProperties } from "./messages/message-content.js";
export { CopyPool } from "./storage/bodies/copy-pool.js";
export type {
  EntityRecord,
  MessageRecord,
  RecordVisitor,
  SessionRecord,
  Storage,
} from "./storage/storage.js";
