import type { MediaType } from "./media-type.js";

/** Top-level types of text, images, sound and compositions of them, and Azure's `avro`. Source: RFC 6838, 4.2. */
const families: ReadonlySet<string> = new Set(
  "audio avro font haptics image message model multipart text video".split(" "),
);

/**
 * Formats in the last part of a subtype or in its suffix, as in `x-protobuf`, `vnd.google.protobuf` and `soap+xml`. Source: IANA's
 * registries of media types and of structured syntax suffixes, with common names that are not registered.
 */
const formats: ReadonlySet<string> = new Set(
  [
    "json json5 jsonl jsonlines ndjson seq avro msgpack messagepack",
    "xml xhtml rdf dtd msbin1 msbinsession1 fastinfoset wbxml exi",
    "protobuf protobuf2 protobuf3 proto protobuffer grpc thrift capnp flatbuffers flexbuffers cbor bson ubjson smile ion amf",
    "hessian pickle ber der asn1 yaml yml toml csv urlencoded graphql sql javascript ecmascript typescript latex rtf html turtle trig",
    "pdf postscript epub msword excel powerpoint zip gzip gz tar bzip bzip2 xz zstd brotli lzma lz4 snappy rar deflate",
    "wasm sqlite3 parquet orc arrow hdf5 jwt jose cose cwt mime pem edifact x12 hl7v2 dicom",
    "mp4 mpeg ogg flash jpeg png gif tiff webp bmp svg woff woff2 tlv",
  ]
    .join(" ")
    .split(" "),
);

/** Media types that name a format at the beginning of the subtype. */
const beginnings =
  /^application\/(?:(?:x-)?(?:protobuf|protobuffer|grpc|thrift|java|zip|gzip|7z|rar|pkcs\d+|pkix|pgp)\b|vnd\.(?:ms-|openxmlformats-|oasis\.opendocument|google-earth|apache\.|adobe\.|sqlite))/;

/**
 * Whether a content type names a known format, so that its body must not be recognised as another format.
 * `application/octet-stream` and an application's own types, such as `application/vnd.acme.order`, name none.
 */
export function isForeign({ essence, suffix }: MediaType): boolean {
  const slash = essence.indexOf("/");
  if (families.has(essence.slice(0, slash))) return true;
  if (suffix !== undefined && namesFormat(suffix.slice(1))) return true;
  const subtype = suffix === undefined ? essence.slice(slash + 1) : essence.slice(slash + 1, -suffix.length);
  return namesFormat(subtype) || beginnings.test(essence);
}

/**
 * Whether a content type says no more than that the body is text in UTF-8. Azure Functions label every string that they send `text/plain`, and
 * so does Azure's portal by default; an earlier page of Azure's REST API asked for the content type of an Atom entry on every message; `curl --data` sends
 * whatever it gets as a form. Most of these bodies are JSON, and a form is not: it has no braces.
 */
export function isAnyText({ essence, parameters }: MediaType): boolean {
  const charset = parameters.get("charset");
  if (charset !== undefined && !/^(?:utf-?8|us-ascii)$/i.test(charset)) return false;
  return (
    essence === "text/plain" ||
    essence === "application/x-www-form-urlencoded" ||
    (essence === "application/atom+xml" && parameters.get("type") === "entry")
  );
}

function namesFormat(subtype: string): boolean {
  return formats.has(subtype.slice(Math.max(subtype.lastIndexOf("."), subtype.lastIndexOf("-")) + 1));
}
