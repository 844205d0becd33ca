import avsc from "avsc";
import { pack, unpack } from "msgpackr";
import { serveSide } from "./compare-apart.js";
import { order, orderSchema } from "./payloads.js";

// Writes or reads one body with the bare library, which trusts its bytes: bare-side.js serialize|deserialize json|avro|msgpack BYTES.
// Nothing of waybill is loaded: msgpackr's buffer, for one, belongs to all who use it.

const [operation, format, bytes] = process.argv.slice(2);
const type = avsc.Type.forSchema(orderSchema as never);
const library = {
  json: {
    read: (text: Buffer): unknown => JSON.parse(text.toString()),
    write: (value: unknown) => Buffer.from(JSON.stringify(value)),
  },
  avro: {
    read: (binary: Buffer): unknown => type.fromBuffer(binary),
    write: (value: unknown) => type.toBuffer(value),
  },
  msgpack: { read: (binary: Buffer): unknown => unpack(binary), write: (value: unknown) => pack(value) },
}[format as "json" | "avro" | "msgpack"];

const value = order(Number(bytes));
const raw = Buffer.from(library.write(value));
await serveSide(operation === "serialize" ? () => library.write(value) : () => library.read(raw));
