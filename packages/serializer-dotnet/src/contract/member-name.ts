/**
 * The name of a member in the program: XML names escape invalid characters as `_xHHHH_`, and compilers name the field of an automatic property
 * `<Name>k__BackingField`. Source: System.Xml.XmlConvert.DecodeName.
 */
export function memberName(xmlName: string): string {
  if (!xmlName.includes("_x")) return xmlName;
  const name = xmlName.replace(/_x([0-9A-Fa-f]{4})_/g, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  );
  return /^<([^>]+)>k__BackingField$/.exec(name)?.[1] ?? name;
}

/** The XML name of a member: the inverse of what {@link memberName} decodes. */
export function xmlName(name: string): string {
  const escaped = (char: string) => `_x${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}_`;
  return name
    .replace(/_(?=x[0-9A-Fa-f]{4}_)/g, "_x005F_")
    .replace(/^[^\p{L}_]|[^\p{L}\p{N}_.-]/gu, (chars) =>
      Array.from({ length: chars.length }, (_, at) => escaped(chars[at] ?? "")).join(""),
    );
}
