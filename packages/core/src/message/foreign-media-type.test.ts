import { describe, expect, it } from "vitest";
import { isForeign } from "./foreign-media-type.js";
import { type MediaType, parseMediaType } from "./media-type.js";

describe("isForeign", () => {
  it.each([
    "text/plain",
    "text/html; charset=utf-8",
    "TEXT/CSV",
    "image/png",
    "image/svg+xml",
    "audio/mpeg",
    "video/mp4",
    "font/woff2",
    "multipart/form-data; boundary=x",
    "message/rfc822",
    "application/xml",
    "application/soap+xml",
    "application/soap+msbin1",
    "application/x-protobuf",
    "application/protobuf",
    "application/protobuf; proto=acme.Order",
    "application/vnd.google.protobuf",
    "application/vnd.acme.order+protobuf",
    "application/grpc+proto",
    "application/cbor",
    "application/cbor-seq",
    "application/senml+cbor",
    "application/bson",
    "application/x-bson",
    "application/pdf",
    "application/zip",
    "application/x-zip-compressed",
    "application/gzip",
    "application/x-www-form-urlencoded",
    "application/yaml",
    "application/x-ndjson",
    "application/json-seq",
    "application/x-java-serialized-object",
    "application/vnd.ms-excel",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.apache.thrift.binary",
    "application/vnd.apache.parquet",
    "application/jwt",
    "application/x-hessian",
    // Formats that waybill supports, if the chain does not have them.
    "application/json",
    "application/vnd.acme.order+json",
    "application/vnd.msgpack",
    "application/avro",
    "avro/binary+0123456789abcdef0123456789abcdef",
  ])("recognises the format of %s", (contentType) => {
    expect(isForeign(mediaType(contentType))).toBe(true);
  });

  it.each([
    "application/octet-stream",
    "application/x-binary",
    "binary/octet-stream",
    "application/vnd.acme.order",
    "application/vnd.acme.zip-code",
    "application/vnd.acme.order-document",
    "application/x-webhook",
    "application/x-acme; version=2",
    "order/placed",
  ])("treats %s as a type of an application", (contentType) => {
    expect(isForeign(mediaType(contentType))).toBe(false);
  });
});

function mediaType(contentType: string): MediaType {
  const parsed = parseMediaType(contentType);
  if (parsed === undefined) throw new Error(`${contentType} is malformed`);
  return parsed;
}
