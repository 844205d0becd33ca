import { requireAjv } from "#require-ajv";
import type { MakeDraft } from "./compile-json-schema.js";
import { schemaDraft } from "./schema-draft.js";

/** The schemas of a draft, with the ajv in `node_modules`. Throws `TypeError` if it is not there. */
export const requiredDraft: MakeDraft = (name, extraKeywords) =>
  schemaDraft(requireAjv(), name, extraKeywords);
