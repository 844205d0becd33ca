import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { root } from "../workspace-packages.js";

/** A test with a peer: the peer, our package, the directions, and the file of the test. */
interface Peer {
  readonly name: string;
  readonly version: string;
  readonly ours: string;
  readonly directions: "both" | "we read it" | "it reads ours";
  readonly shownBy: string;
}

const page = `${root}docs/interop.md`;

/** Peers that are run by our tests: their versions are those that are installed. */
const installed: readonly (readonly [
  name: string,
  from: string,
  ours: string,
  directions: Peer["directions"],
  shownBy: string,
])[] = [
  [
    "@azure/schema-registry-avro",
    "packages/schema-registry",
    "schema-registry",
    "both",
    "packages/schema-registry/src/serializers/azure-serializers.test.ts",
  ],
  [
    "@azure/schema-registry-json",
    "packages/schema-registry",
    "schema-registry",
    "both",
    "packages/schema-registry/src/serializers/azure-serializers.test.ts",
  ],
  ["cloudevents", "packages/envelopes", "envelopes", "both", "packages/envelopes/src/cloud-events.test.ts"],
  [
    "@bufbuild/protobuf",
    "packages/serializer-protobuf",
    "serializer-protobuf",
    "both",
    "packages/serializer-protobuf/src/conformance.test.ts",
  ],
  ["cbor-x", ".", "serializer-cbor", "we read it", "test/cross-format/cross-format.test.ts"],
  ["@azure/service-bus", ".", "core", "we read it", "test/unlabelled-bodies/official-sdk.test.ts"],
];

/** Recorded bytes in our tests, and their origin; versions as in the tests. */
const recorded: readonly Peer[] = [
  {
    name: ".NET's DataContractSerializer (Mono)",
    version: "6.8",
    ours: "serializer-dotnet",
    directions: "both",
    shownBy: "packages/serializer-dotnet/src/dotnet-serializer.test.ts",
  },
  {
    name: "Confluent's wire format, the headers of its own tests",
    version: "confluent-kafka-javascript 039f8a1",
    ours: "schema-registry",
    directions: "both",
    shownBy: "packages/schema-registry/src/framing/framings.test.ts",
  },
  {
    name: "Go's hamba/avro, the example of its documentation",
    version: "v2",
    ours: "serializer-avro",
    directions: "both",
    shownBy: "test/interop/published.test.ts",
  },
  {
    name: "Java's Jackson, a BigInteger in CBOR of its tests",
    version: "2",
    ours: "serializer-cbor",
    directions: "we read it",
    shownBy: "test/interop/published.test.ts",
  },
  {
    name: "MassTransit's envelope, made after its documentation",
    version: "c1e5caa",
    ours: "envelopes",
    directions: "we read it",
    shownBy: "packages/envelopes/src/buses.test.ts",
  },
  {
    name: "NServiceBus's headers, made after its source",
    version: "NServiceBus.Transport.AzureServiceBus 8baf943",
    ours: "envelopes",
    directions: "we read it",
    shownBy: "packages/envelopes/src/buses.test.ts",
  },
  {
    name: "Wolverine's properties, made after its source",
    version: "a4b6f5b",
    ours: "envelopes",
    directions: "we read it",
    shownBy: "packages/envelopes/src/buses.test.ts",
  },
  {
    name: "Dapr's envelope, made after its tests",
    version: "c23900d",
    ours: "envelopes",
    directions: "we read it",
    shownBy: "packages/envelopes/src/cloud-events.test.ts",
  },
];

/** Peers that a script runs and whose versions it records: they are not installed with the workspace. */
const exchanged = JSON.parse(
  readFileSync(new URL("./peer-formats.json", import.meta.url), "utf8"),
) as readonly {
  readonly name: string;
  readonly version: string;
  readonly ours: string;
}[];

it("lists in docs/interop.md the tests with each peer, with versions", () => {
  const peers: Peer[] = [
    ...installed.map(([name, from, ours, directions, shownBy]) => ({
      name: `\`${name}\``,
      version: versionOf(name, from),
      ours,
      directions,
      shownBy,
    })),
    ...exchanged.map(({ name, version, ours }) => ({
      ...{ name, version, ours },
      directions: "both" as const,
      shownBy: name.startsWith("Debian")
        ? "interop/src/formats/python.ts"
        : "interop/src/formats/confluent.ts",
    })),
    ...recorded,
  ];
  for (const { shownBy } of peers) expect(existsSync(root + shownBy), shownBy).toBe(true);
  if (process.env.UPDATE_DOCS === "1") writeFileSync(page, toPage(peers));
  expect(readFileSync(page, "utf8")).toBe(toPage(peers));
});

function versionOf(name: string, from: string): string {
  const manifest = readFileSync(`${root}${from}/node_modules/${name}/package.json`, "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

function toPage(peers: readonly Peer[]): string {
  const rows = peers.map(
    ({ name, version, ours, directions, shownBy }) =>
      `| ${name} | ${version} | [\`@waybill/${ours}\`](../packages/${ours}/README.md) | ${directions} | [${shownBy.split("/").at(-1)}](../${shownBy}) |`,
  );
  return `# Tested against others

Other programs whose messages waybill reads or writes, and the test for each. npm packages run in the tests; Debian's libraries for Python and Confluent's library are
run by \`npx -y pnpm@12 interop formats\`, which exchanges thousands of generated values in both directions and, with \`--record\`, records their versions. For the others
the tests contain bytes that they wrote, or bytes made from their documentation or source, as the table says. This page is generated by \`UPDATE_DOCS=1 npx -y pnpm@12 test\`.

| other program | version | waybill package | directions | test |
| --- | --- | --- | --- | --- |
${rows.join("\n")}
`;
}
