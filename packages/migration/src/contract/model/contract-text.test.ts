import { expect, it } from "vitest";
import { formatContract, parseContract } from "../../contract.js";

/** A contract with every member that is checked. */
const file = {
  waybillContract: 1,
  service: "orders",
  entities: { sends: ["orders"], receives: ["payments"] },
  serializers: [{ name: "json", mediaTypes: ["application/json"] }],
  messageTypes: [
    {
      name: "order-placed",
      aliases: ["placed"],
      version: 3,
      unversioned: 2,
      removed: [1],
      writes: [{ version: 3, serializer: "json" }],
      versions: [
        { version: 3, upcasts: [3], isWritable: true, body: { language: "code" }, schemas: {} },
        { version: 2, upcasts: [], isWritable: false, schemas: { json: { language: "json-schema" } } },
      ],
    },
  ],
};

it("a contract file is read as it is, also without the members that it may leave out", () => {
  expect(parseContract(JSON.stringify(file), "orders.json")).toEqual(file);
  const [type] = file.messageTypes;
  const without = { ...file, messageTypes: [{ ...type, unversioned: undefined }] };
  const text = formatContract(without as never);
  expect(formatContract(parseContract(text, "orders.json"))).toBe(text);
});

const entities = "entities must have the lists sends and receives";
const serializers = "serializers must be a list of names with media types";
const messageTypes = "messageTypes must be a list of types with versions";

it.each<[string, unknown, string]>([
  ["", null, "it has no member waybillContract"],
  ["", [], "it has no member waybillContract"],
  ["", "text", "it has no member waybillContract"],
  ["waybillContract", undefined, "it has no member waybillContract"],
  ["waybillContract", "1", 'it has the format "1", and this release reads format 1'],
  ["service", 7, "it names no service"],
  ["service", "", "it names no service"],
  ["entities", [], entities],
  ["entities", null, entities],
  ["entities.sends", "orders", entities],
  ["entities.sends", [7], entities],
  ["entities.receives", undefined, entities],
  ["entities.receives", ["a", null], entities],
  ["serializers", {}, serializers],
  ["serializers.0", "json", serializers],
  ["serializers.0.name", 7, serializers],
  ["serializers.0.mediaTypes", "application/json", serializers],
  ["serializers.1", null, serializers],
  ["messageTypes", undefined, messageTypes],
  ["messageTypes.0", [], messageTypes],
  ["messageTypes.1", "order-placed", messageTypes],
  ["messageTypes.0.name", undefined, messageTypes],
  ["messageTypes.0.aliases", [7], messageTypes],
  ["messageTypes.0.version", "3", messageTypes],
  ["messageTypes.0.version", 2.5, messageTypes],
  ["messageTypes.0.unversioned", "2", messageTypes],
  ["messageTypes.0.removed", 1, messageTypes],
  ["messageTypes.0.removed", [1.5], messageTypes],
  ["messageTypes.0.writes", {}, messageTypes],
  ["messageTypes.0.writes.0.version", "3", messageTypes],
  ["messageTypes.0.writes.0.serializer", 7, messageTypes],
  ["messageTypes.0.versions", {}, messageTypes],
  ["messageTypes.0.versions.1", null, messageTypes],
  ["messageTypes.0.versions.0.version", 0.5, messageTypes],
  ["messageTypes.0.versions.0.upcasts", ["3"], messageTypes],
  ["messageTypes.0.versions.0.isWritable", "yes", messageTypes],
  ["messageTypes.0.versions.0.schemas", [], messageTypes],
  ["messageTypes.0.versions.0.body", null, messageTypes],
  ["messageTypes.0.versions.0.body.language", 7, messageTypes],
  ["messageTypes.0.versions.1.schemas.json", "schema", messageTypes],
  ["messageTypes.0.versions.1.schemas.json.language", undefined, messageTypes],
])("a file is refused in which '%s' is %j", (path, value, problem) => {
  const changed = { file: structuredClone(file) as unknown };
  const steps = ["file", ...path.split(".").filter(Boolean)];
  const last = steps.pop()!;
  let place = changed as Record<string, unknown>;
  for (const step of steps) place = place[step] as Record<string, unknown>;
  place[last] = value;
  expect(() => parseContract(JSON.stringify(changed.file), "orders.json")).toThrow(
    expect.objectContaining({
      code: "configuration-invalid",
      text: `orders.json is not a contract file: ${problem}.`,
    }),
  );
});
