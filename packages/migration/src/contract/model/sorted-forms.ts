import type { WrittenForm } from "./contract.js";

/** Forms without repeats, the newest version first, and those of one version by the names of their serializers. */
export function sortedForms(forms: Iterable<WrittenForm>): readonly WrittenForm[] {
  const known = new Map<string, WrittenForm>();
  for (const { version, serializer } of forms) known.set(`${serializer} ${version}`, { version, serializer });
  const byName = [...known.keys()].sort().flatMap((key) => known.get(key) ?? []);
  return byName.sort((a, b) => b.version - a.version);
}
