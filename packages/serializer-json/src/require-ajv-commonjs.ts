import { type AjvModules, ajvModules } from "./ajv-modules.js";

declare const require: (id: string) => unknown;

/** The same for CommonJS builds of the package, for example by Jest's Babel, which lack `import.meta`. */
export function requireAjv(): AjvModules {
  return ajvModules((id) => require(id));
}
