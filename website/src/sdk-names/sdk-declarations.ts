import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { parseSync } from "oxc-parser";

// What the declarations of `@azure/service-bus` say, in the version that is installed here.

const manifest = createRequire(import.meta.url).resolve("@azure/service-bus/package.json");
const path = join(dirname(manifest), JSON.parse(readFileSync(manifest, "utf8")).types);
const { module, program } = parseSync(path, readFileSync(path, "utf8"));

/** The names that the SDK exports, types included. */
export const exportedNames: readonly string[] = module.staticExports.flatMap(({ entries }) =>
  entries.flatMap(({ exportName }) => exportName.name ?? []),
);

/** The public members of a class or interface of the SDK, without inherited ones, in the order of its declaration. Throws when there is none. */
export function membersOf(type: string): string[] {
  for (const statement of program.body) {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "ClassDeclaration" && declaration?.type !== "TSInterfaceDeclaration") continue;
    if (declaration.id?.name !== type) continue;
    const names = declaration.body.body.flatMap((member) => {
      const isHidden = "accessibility" in member && member.accessibility === "private";
      return !isHidden && "key" in member && member.key.type === "Identifier" ? member.key.name : [];
    });
    return [...new Set(names)].filter((name) => name !== "constructor");
  }
  throw new Error(`The SDK declares no type "${type}".`);
}
