import type { Ajv, Options } from "ajv";
import { ajvMissing } from "./ajv-missing.js";

/** The parts of ajv and its plug-in that are used. They are the largest dependency, so they are loaded with the first JSON Schema. */
export interface AjvModules {
  readonly Ajv: new (options: Options) => Ajv;
  readonly Ajv2020: new (options: Options) => Ajv;
  readonly addFormats: (ajv: Ajv) => void;
}

/** Loads ajv synchronously. Throws `TypeError` if `require` cannot find it, for example in a bundle. */
export function ajvModules(require: (id: string) => unknown): AjvModules {
  try {
    const { Ajv } = require("ajv") as Pick<AjvModules, "Ajv">;
    const { Ajv2020 } = require("ajv/dist/2020.js") as Pick<AjvModules, "Ajv2020">;
    const { default: addFormats } = require("ajv-formats") as { default: AjvModules["addFormats"] };
    return { Ajv, Ajv2020, addFormats };
  } catch (error) {
    throw ajvMissing(error);
  }
}
