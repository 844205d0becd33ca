/** JSON with sorted keys, the same for equivalent schemas; undefined for schemas that are code. */
export function canonicalText(schema: unknown): string | undefined {
  if (typeof schema === "object" && schema !== null && "~standard" in schema) return undefined;
  return JSON.stringify(schema, (_, value: unknown) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((name) => [name, (value as Readonly<Record<string, unknown>>)[name]]),
        )
      : value,
  );
}
