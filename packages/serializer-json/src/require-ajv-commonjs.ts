import { type AjvModules, ajvModules } from "./ajv-modules.js";

declare const require: (id: string) => unknown;

/** The same where a tool has turned the package into CommonJS, as Jest's Babel does: that knows no `import.meta`. */
export function requireAjv(): AjvModules {
  return ajvModules((id) => require(id));
}
