import { serveSide } from "./compare-apart.js";
import { openCell } from "./pipeline.js";

// Writes or reads one message with a pipeline: pipeline-side.js serialize|deserialize json|avro|msgpack BYTES.

const [operation, format, bytes] = process.argv.slice(2);
const { pipeline, value, message } = openCell(format as "json" | "avro" | "msgpack", Number(bytes));
await serveSide(
  operation === "serialize" ? () => pipeline.serialize({ body: value }) : () => pipeline.deserialize(message),
);
