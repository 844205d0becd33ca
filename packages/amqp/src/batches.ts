/** For batches of Service Bus: several messages in one delivery. */

export { batchMessageFormat, joinBatch, splitBatch } from "./message/batch.js";
export { BatchWriter } from "./message/batch-writer.js";
