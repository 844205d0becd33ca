import avsc from "avsc";
import { pack, unpack } from "msgpackr";
import type { OpenSide } from "./harness/side.js";
import { order, orderSchema } from "./payloads.js";

/**
 * Writes or reads one body with the bare library, which trusts its bytes. Loads nothing of waybill: msgpackr's buffer, for example, is shared by
 * all its users.
 */
export const openSide: OpenSide = (operation, format, bytes) => {
  const { read, write } = libraries[format as keyof typeof libraries];
  const value = order(Number(bytes));
  const raw = Buffer.from(write(value));
  return { work: operation === "serialize" ? () => write(value) : () => read(raw) };
};

const type = avsc.Type.forSchema(orderSchema as never);
const libraries = {
  json: {
    read: (text: Buffer): unknown => JSON.parse(text.toString()),
    write: (value: unknown) => Buffer.from(JSON.stringify(value)),
  },
  avro: {
    read: (binary: Buffer): unknown => type.fromBuffer(binary),
    write: (value: unknown) => type.toBuffer(value),
  },
  msgpack: { read: (binary: Buffer): unknown => unpack(binary), write: (value: unknown) => pack(value) },
};
