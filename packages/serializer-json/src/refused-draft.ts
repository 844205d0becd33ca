import { ajvMissing } from "./ajv-missing.js";
import type { MakeDraft } from "./compile-json-schema.js";

/** The same for browsers, which have no `node_modules`: throws `TypeError`, so that bundles for them have nothing else. */
export const requiredDraft: MakeDraft = () => {
  throw ajvMissing();
};
