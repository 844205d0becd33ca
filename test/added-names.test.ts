import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { afterAll, describe, expect, it } from "vitest";
import { readPackages, root } from "./workspace-packages.js";

// A broker property or an option of a settlement that a mapping forgets is lost without an error. So each mapping names all of them, by
// type. Here the sources are compiled with one more name, and every place that has to know it must fail.

describe("a broker property added to the client's messages", () => {
  it("does not compile where messages are copied, mapped, checked or tried", () => {
    expect(filesNaming("addedToMessages", membersOfClient())).toEqual([
      "packages/azure-functions/src/input/from-trigger-metadata.ts",
      "packages/conformance/src/transport/cases/sending-cases.ts",
      "packages/core/src/message/broker-properties.ts",
      "packages/core/src/receive/delivery/received-message.ts",
      "packages/core/src/receive/delivery/settle-undecoded.ts",
      "packages/explorer/src/changes/preview-repair.ts",
      "packages/migration/src/repair/resubmission.ts",
      "packages/transport-azure/src/messages/from-service-bus-message.ts",
      "packages/transport-azure/src/messages/sent-properties.ts",
      "packages/transport-local/src/from-broker-message.ts",
      "packages/transport-local/src/to-broker-message.ts",
    ]);
  });
});

describe("a broker property added to the broker's messages", () => {
  it("does not compile where messages are kept, stored, sent or read", () => {
    expect(filesNaming("addedToBrokerMessages", otherMembers())).toEqual([
      "packages/broker-server/src/http/messages/broker-properties.ts",
      "packages/broker-server/src/messages/to-broker-message.ts",
      "packages/broker-server/src/messages/wire-places.ts",
      "packages/broker-storage-lmdb/src/records/record-codec.ts",
      "packages/broker/src/messages/message-content.ts",
      "packages/broker/src/messages/message-size.ts",
      "packages/broker/src/messages/packed-messages.ts",
      "packages/broker/src/messages/received-message.ts",
      "packages/transport-local/src/from-broker-message.ts",
    ]);
  });
});

describe("a property added to the messages of the SDK", () => {
  it("does not compile where the binding of Azure Functions makes one", () => {
    expect(filesNaming("addedToSdkMessages", membersOfClient())).toEqual([
      "packages/azure-functions/src/input/from-bound-message.ts",
    ]);
  });
});

describe("a property added to the annotations of a message", () => {
  it("does not compile where they are written, and where messages without them are sent by a template", () => {
    expect(filesNaming("addedToAnnotations", membersOfClient())).toEqual([
      "packages/broker-server/src/messages/from-broker-message.ts",
      "packages/broker-server/src/messages/front-template.ts",
      "packages/broker-server/src/messages/wire-places.ts",
    ]);
  });
});

describe("an option added to the settlements", () => {
  it("does not compile where core passes options on, and in the transports", () => {
    expect(filesNaming("addedToSettlements", membersOfClient())).toEqual([
      "packages/azure-functions/src/settlement/by-actions.ts",
      "packages/conformance/src/transport/cases/settling-cases.ts",
      "packages/core/src/receive/processing/handling.ts",
      "packages/core/src/receive/receiver/loaded-receiver.ts",
      "packages/transport-azure/src/settlement/settlement-options.ts",
      "packages/transport-local/src/local-receiver.ts",
      "packages/transport-local/src/to-broker-message.ts",
    ]);
  });

  it("does not compile in the broker's server", () => {
    expect(filesNaming("addedToDeadLettering", otherMembers())).toEqual([
      "packages/broker-server/src/amqp/links/settle-delivery.ts",
      "packages/broker-server/src/amqp/management/update-disposition.ts",
      "packages/transport-local/src/to-broker-message.ts",
    ]);
  });
});

describe("what a union or an interface lists", () => {
  it("does not compile where a new policy, event, error of handlers, verb of the storage, property of rules or address over HTTP is checked, measured or done", () => {
    const ofUnions = otherMembers().filter(({ text }) => !/'addedTo/.test(text));
    expect(filesOf(ofUnions)).toEqual([
      "packages/broker-server/src/http/management/manage.ts",
      "packages/broker-server/src/http/management/resource.ts",
      "packages/broker-storage-lmdb/src/durable-storage.ts",
      "packages/broker/src/lifecycle/change-content.ts",
      "packages/broker/src/lifecycle/message-subject.ts",
      "packages/broker/src/storage/memory-storage.ts",
      "packages/core/src/message-types/message-type-registry.ts",
      "packages/core/src/pipeline/options.ts",
      "packages/core/src/receive/circuit-breaker/circuit-breaker-options.ts",
      "packages/core/src/receive/processing/handler-errors.ts",
      "packages/core/src/receive/processing/handling.ts",
      "packages/opentelemetry/src/instruments.ts",
    ]);
  });
});

/** The packages that carry messages, and one that counts them. */
const names = [
  "amqp",
  "azure-functions",
  "broker",
  "broker-server",
  "broker-storage-lmdb",
  "conformance",
  "core",
  "explorer",
  "foundation",
  "migration",
  "opentelemetry",
  "transport-azure",
  "transport-local",
];

const copy = mkdtempSync(`${tmpdir()}/waybill-added-names-`);
afterAll(() => rmSync(copy, { recursive: true }));
copySources();

type Edit = readonly [file: string, text: string, by: string];

/** Compiled at once: the errors name what was added. */
const membersOfClient = compiledOnce([
  member("packages/core/src/message/message.ts", "WritableProperties", "addedToMessages"),
  member(
    "packages/core/src/contracts/transport.ts",
    "TransportSettleOptions extends CallOptions",
    "addedToSettlements",
  ),
  member(
    "packages/transport-azure/src/sdk/service-bus-client.ts",
    "ReceivedServiceBusMessage",
    "addedToSdkMessages",
  ),
  [
    "packages/broker-server/src/messages/wire-places.ts",
    "Object.freeze({",
    'Object.freeze({ addedToAnnotations: { section: "annotations", field: "x-opt-added" },',
  ],
]);

/** Apart from those, because a place that lacks a name of the client and one of the broker has an error for one of them. */
const otherMembers = compiledOnce([
  member("packages/broker/src/messages/message.ts", "SendableProperties", "addedToBrokerMessages"),
  member("packages/broker/src/operations/dead-letter.ts", "DeadLetterOptions", "addedToDeadLettering"),
  [
    "packages/core/src/pipeline/options.ts",
    'ContentTypePolicy = "try-all"',
    'ContentTypePolicy = "added" | "try-all"',
  ],
  [
    "packages/core/src/message-types/message-type-registry.ts",
    "readonly newer: ",
    'readonly newer: "added" | ',
  ],
  [
    "packages/core/src/receive/circuit-breaker/circuit-breaker-options.ts",
    "WhenFull = ",
    'WhenFull = "added" | ',
  ],
  [
    "packages/core/src/receive/processing/handler-errors.ts",
    "SettlingError = ",
    'SettlingError = (Error & { readonly name: "added"; readonly propertiesToModify: undefined }) | ',
  ],
  [
    "packages/core/src/diagnostics/diagnostics.ts",
    "DiagnosticEvent =\n",
    'DiagnosticEvent =\n  | (LinkStall & { readonly type: "added" })\n',
  ],
  [
    "packages/broker-server/src/http/management/resource.ts",
    "export type Resource =\n",
    'export type Resource =\n  | { readonly kind: "added" }\n',
  ],
  [
    "packages/broker/src/rules/evaluation/system-property.ts",
    "systemProperties = {",
    'systemProperties = { Added: writable("string"),',
  ],
  [
    "packages/broker/src/storage/storage.ts",
    "export interface Storage {",
    "export interface Storage { added(): void;",
  ],
]);

function member(file: string, declaration: string, name: string): Edit {
  const start = `export interface ${declaration} {`;
  return [file, start, `${start} readonly ${name}?: number | undefined;`];
}

interface CompilerError {
  readonly file: string;
  /** With the lines that explain it. */
  readonly text: string;
}

function filesNaming(name: string, errors: readonly CompilerError[]): string[] {
  return filesOf(errors.filter(({ text }) => text.includes(`'${name}'`)));
}

/** In order, each once. */
function filesOf(errors: readonly CompilerError[]): string[] {
  return [...new Set(errors.map(({ file }) => file))].sort();
}

/** The errors of a copy of the sources after replacing texts, compiled when they are asked for first. */
function compiledOnce(edits: readonly Edit[]): () => readonly CompilerError[] {
  let errors: readonly CompilerError[] | undefined;
  return () => {
    errors ??= errorsAfter(edits);
    return errors;
  };
}

function errorsAfter(edits: readonly Edit[]): CompilerError[] {
  const originals = new Map(
    edits.map(([file]) => [`${copy}/${file}`, readFileSync(`${copy}/${file}`, "utf8")]),
  );
  for (const [file, text, by] of edits) {
    const original = originals.get(`${copy}/${file}`) ?? "";
    expect(original).toContain(text);
    writeFileSync(`${copy}/${file}`, original.replace(text, by));
  }
  try {
    const { stdout } = spawnSync(
      process.execPath,
      [`${root}node_modules/typescript/bin/tsc`, "--project", copy],
      { cwd: copy, encoding: "utf8" },
    );
    return stdout.split(/\n(?=\S)/).flatMap((text) => {
      const [file] = /^\S+(?=\(\d+,\d+\): error)/.exec(text) ?? [];
      return file === undefined ? [] : [{ file, text }];
    });
  } finally {
    for (const [path, text] of originals) writeFileSync(path, text);
  }
}

function copySources(): void {
  for (const { name, files } of readPackages().filter(({ name }) => names.includes(name))) {
    for (const { path, isTest } of files)
      if (!isTest) cpSync(`${root}packages/${name}/${path}`, `${copy}/packages/${name}/${path}`);
    symlinkSync(`${root}packages/${name}/node_modules`, `${copy}/packages/${name}/node_modules`);
    cpSync(`${root}packages/${name}/package.json`, `${copy}/packages/${name}/package.json`);
  }
  symlinkSync(`${root}node_modules`, `${copy}/node_modules`);
  const compilerOptions = {
    composite: false,
    declaration: false,
    noEmit: true,
    pretty: false,
    types: ["node"],
    lib: ["ES2023", "ESNext.Disposable", "DOM"],
    paths: Object.fromEntries(
      names.flatMap((name) => [
        [`@waybill/${name}`, [`./packages/${name}/src/index.ts`]],
        [`@waybill/${name}/*`, [`./packages/${name}/src/*.ts`]],
      ]),
    ),
  };
  const config = { extends: `${root}tsconfig.base.json`, compilerOptions, include: ["packages/*/src"] };
  writeFileSync(`${copy}/tsconfig.json`, JSON.stringify(config));
}
