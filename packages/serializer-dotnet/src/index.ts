export type { LeafType } from "./contract/contract-type.js";
export type { DotnetHint, DotnetHints } from "./contract/hints.js";
export type { DateForm } from "./contract/leaf-value.js";
export { type DotnetBodySchema, type DotnetOptions, dotnetBinary } from "./dotnet-serializer.js";
export type { DotnetContract, DotnetDictionaryType, DotnetListType, DotnetType } from "./write/contract.js";
