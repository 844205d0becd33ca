import { expect, it } from "vitest";
import { readPackages } from "./workspace-packages.js";

/**
 * Where text is parsed as JSON without the limits and rules of `@waybill/serializer-json`, by package, and what text that is. Bodies, and bodies
 * inside bodies, are read by the serializers of a pipeline: they keep integers exact, bound depth and items, and have no `__proto__`.
 */
const parsers: Readonly<Record<string, string>> = {
  "broker-server/src/http": "properties and batches of HTTP requests, for a broker that never reads bodies",
  "broker-storage-lmdb/src/directory": "the files beside a store",
  "cli/src": "configuration files, answers of the broker, its own manifest",
  "conformance/src": "values that its cases wrote, and the serializer of its own",
  "core/src/http": "the values of HTTP headers",
  "core/src/serializers/sdk-bodies.ts": "bodies, exactly as the receiver of the official SDK parses them",
  "core/src/sessions/session-state.ts":
    "the header of a state, and whether a state without one is a scalar of JSON",
  "explorer/src": "requests of its own page, and saved searches",
  "foundation/src/text/parse-json.ts": "the text of session states' headers and properties",
  "migration/src/capability": "beacons, which readers announce",
  "migration/src/census/census-text.ts": "saved censuses",
  "migration/src/census/own-record.ts": "whether a message is a beacon, a read record or a work item",
  "migration/src/contract/model": "contract files, and schemas of registries",
  "migration/src/golden": "golden files",
  "migration/src/reads": "read records, which consumers keep",
  "migration/src/repair/receipt-text.ts": "receipts of repairs",
  "migration/src/work": "work items, and their states",
  "schema-registry/src": "schemas, and answers of registries",
  "serializer-avro/src/schema": "schemas",
  "serializer-json/src": "the serializer itself",
};

it("JSON is parsed by the serializer alone, except what is no body", () => {
  const found = readPackages()
    .flatMap(({ name, files }) => files.map((file) => ({ place: `${name}/${file.path}`, ...file })))
    .filter(({ isTest, code }) => !isTest && /\bJSON\.parse\(/.test(code))
    .map(({ place }) => place);
  const listed = Object.keys(parsers);
  expect(found.filter((place) => !listed.some((name) => place.startsWith(name)))).toEqual([]);
  expect(listed.filter((name) => !found.some((place) => place.startsWith(name)))).toEqual([]);
});
