export type { LeafType } from "./contract/contract-type.js";
export type { DotnetHint, DotnetHints } from "./contract/hints.js";
export type { DateForm } from "./contract/leaf-value.js";
export type { DotnetBodySchema, DotnetOptions } from "./dotnet-serializer.js";
export { dotnetBinary } from "./dotnet-serializer.js";
export type { DotnetContract, DotnetDictionaryType, DotnetListType, DotnetType } from "./write/contract.js";
