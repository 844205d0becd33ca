import { parseSync, type TSInterfaceDeclaration, type TSSignature } from "oxc-parser";

/** One member of an interface, as its source says. */
export interface OptionRow {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

/** An interface of a source file. */
export interface OptionInterface {
  readonly name: string;
  /** The interfaces it extends, without type arguments. */
  readonly parents: readonly string[];
  readonly rows: readonly OptionRow[];
}

/** Reads the interfaces of a TypeScript source with the doc comments of their members. */
export function readInterfaces(path: string, text: string): OptionInterface[] {
  const { program, comments } = parseSync(path, text);
  const docs = new Map(
    comments.map(({ end, value }) => [text.slice(end).search(/\S/) + end, description(value)] as const),
  );
  return program.body.flatMap((statement) => {
    const declaration = statement.type === "ExportNamedDeclaration" ? statement.declaration : statement;
    if (declaration?.type !== "TSInterfaceDeclaration") return [];
    return { name: declaration.id.name, parents: parents(declaration, text), rows: rows(declaration) };
  });

  function rows({ body }: TSInterfaceDeclaration): OptionRow[] {
    return body.body.flatMap((member) => {
      const name = memberName(member);
      if (name === undefined || member.type !== "TSPropertySignature") return [];
      const type = member.typeAnnotation?.typeAnnotation;
      return {
        name,
        type: type ? optionType(text.slice(type.start, type.end)) : "unknown",
        description: docs.get(member.start) ?? "",
      };
    });
  }
}

/** Draws rows as a Markdown table. */
export function drawOptionTable(rows: readonly OptionRow[]): string {
  const lines = rows.map(
    ({ name, type, description }) => `| \`${name}\` | \`${escaped(type)}\` | ${escaped(description)} |`,
  );
  return ["| option | type | what it does |", "|---|---|---|", ...lines].join("\n");
}

function parents({ extends: heritage }: TSInterfaceDeclaration, text: string): string[] {
  return heritage.map(({ expression }) => text.slice(expression.start, expression.end));
}

function memberName(member: TSSignature): string | undefined {
  return member.type === "TSPropertySignature" && member.key.type === "Identifier"
    ? member.key.name
    : undefined;
}

/** Removes `| undefined`, which every option allows. */
function optionType(text: string): string {
  return text
    .replace(/\s+/g, " ")
    .replace(/^\| /, "")
    .replace(/ \| undefined$/, "");
}

function description(comment: string): string {
  return comment
    .replace(/^\*/, "")
    .replace(/^\s*\*/gm, "")
    .replace(/\{@link (\w+)\}/g, "`$1`")
    .replace(/\s+/g, " ")
    .trim();
}

function escaped(text: string): string {
  return text.replaceAll("|", "\\|");
}
