import { loadedLater } from "../contracts/loaded-later.js";

/** The code for encryption and claim checks: loaded with the first body that is or has to be encrypted or stored. */
export const sealing = loadedLater("encryption and claim checks", () => import("./sealed-body.js"));
