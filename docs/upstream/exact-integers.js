import rhea from "rhea";
import { conclude } from "./service.js";

const { message, types } = rhea;
// 2^53 + 1, as eight bytes.
const encoded = message.encode({ body: types.wrap_ulong(Buffer.from("0020000000000001", "hex")) });
const { body } = message.decode(encoded);
conclude(body === 2 ** 53, `2^53 + 1 is read as ${typeof body === "number" ? body : "bytes"}`);
