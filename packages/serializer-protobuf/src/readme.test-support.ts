/** Replaces generated code in the README. */
export { Int64ValueSchema as OrderSchema } from "@bufbuild/protobuf/wkt";
