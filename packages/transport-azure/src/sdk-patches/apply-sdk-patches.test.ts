import { ServiceBusClient } from "@azure/service-bus";
import { ServiceBusClient as BetaClient } from "@azure/service-bus-beta";
import { describe, expect, it, vi } from "vitest";
import { azureTransport } from "../azure-transport.js";
import type { ServiceBusClientLike } from "../sdk/service-bus-client.js";
import { testedSdkVersions } from "./report.js";
import { sdkParts } from "./sdk-parts.test-support.js";

const connectionString =
  "Endpoint=sb://127.0.0.1:1;SharedAccessKeyName=any;SharedAccessKey=any;UseDevelopmentEmulator=true";
const names = [
  "closed-connections",
  "interrupted-openings",
  "unanswered-requests",
  "closes-cut-short",
  "idle-request-links",
  "exact-values",
];

describe("the report on SDK patches", () => {
  it.each([
    ["7.9.5", ServiceBusClient],
    ["7.10.0-beta.2", BetaClient],
  ])("reports that all are applied to %s", (version, Client) => {
    using warnings = emitted();
    const { sdkPatches } = azureTransport(new Client(connectionString) as ServiceBusClientLike);
    expect(sdkPatches).toEqual({
      sdkVersion: version,
      isTestedVersion: true,
      patches: names.map((name) => ({ name, status: "applied", reason: undefined })),
    });
    expect(testedSdkVersions).toContain(version);
    expect(warnings.texts).toEqual([]);
  });

  it("is the same for every transport on a client, which is patched once", () => {
    const client = new ServiceBusClient(connectionString);
    const { sdkPatches } = azureTransport(client);
    const { open } = connectionOf(client);
    expect(azureTransport(client).sdkPatches).toBe(sdkPatches);
    expect(connectionOf(client).open).toBe(open);
  });

  it("reports that all are disabled, and nothing is changed", () => {
    using warnings = emitted();
    const client = new ServiceBusClient(connectionString);
    const before = { ...connectionOf(client) };
    const { sdkPatches } = azureTransport(client, { sdkPatches: false });
    expect(sdkPatches.patches).toEqual(
      names.map((name) => ({ name, status: "skipped", reason: "sdkPatches is false" })),
    );
    expect({ ...connectionOf(client) }).toEqual(before);
    expect(warnings.texts).toEqual([]);
  });

  it("warns once about a version that was not tested", () => {
    using warnings = emitted();
    for (let clients = 0; clients < 2; clients++) {
      const client = new ServiceBusClient(connectionString);
      Object.assign(connectionOf(client).options.properties, { version: "7.99.0" });
      expect(azureTransport(client).sdkPatches).toMatchObject({
        sdkVersion: "7.99.0",
        isTestedVersion: false,
      });
    }
    expect(warnings.texts).toEqual([
      "waybill patches faults beneath @azure/service-bus 7.99.0: it is tested with 7.9.2, 7.9.3, 7.9.4, 7.9.5, 7.10.0-beta.2.",
    ]);
  });

  it("reports and warns about patches that could not be applied, and applies the others", () => {
    using warnings = emitted();
    const client = new ServiceBusClient(connectionString);
    Object.assign(sdkParts(client).cbsSession, { negotiateClaim: undefined });
    const reason = "the SDK's token client has no negotiateClaim";
    const { patches } = azureTransport(client).sdkPatches;
    expect(patches.filter(({ status }) => status === "skipped")).toEqual([
      { name: "unanswered-requests", status: "skipped", reason },
    ]);
    expect(warnings.texts).toEqual([
      `waybill patches faults beneath @azure/service-bus 7.9.5: unanswered-requests was not applied, because ${reason}.`,
    ]);
  });

  it("accepts a client without accessible internals, and reports it", () => {
    using warnings = emitted();
    const client = { createReceiver() {} } as unknown as ServiceBusClientLike;
    const { sdkPatches } = azureTransport(client);
    expect(sdkPatches.sdkVersion).toBeUndefined();
    expect(new Set(sdkPatches.patches.map(({ reason }) => reason))).toEqual(
      new Set(["the client has no connection context"]),
    );
    expect(warnings.texts).toHaveLength(1);
  });

  it("reports a fault as fixed if that can be detected, without a warning", () => {
    using warnings = emitted();
    const client = new ServiceBusClient(connectionString);
    const { container } = connectionOf(client);
    const mended = { read: (buffer: Buffer, offset: number) => buffer.subarray(offset, offset + 8) };
    Object.defineProperty(container, "types", {
      value: { by_code: { 115: mended, 128: mended, 129: mended } },
    });
    expect(azureTransport(client).sdkPatches.patches.at(-1)).toEqual({
      name: "exact-values",
      status: "skipped",
      reason: "the fault is fixed",
    });
    expect(warnings.texts).toEqual([]);
  });
});

describe("the patches", () => {
  it("do not change classes, so that other code in the process is not affected", () => {
    const client = new ServiceBusClient(connectionString);
    const chain = prototypes(connectionOf(client));
    const before = chain.map((prototype) => Object.getOwnPropertyDescriptors(prototype));
    azureTransport(client);
    expect(Object.hasOwn(connectionOf(client), "open")).toBe(true);
    expect(chain.map((prototype) => Object.getOwnPropertyDescriptors(prototype))).toEqual(before);
  });

  it.each([
    [null, "null"],
    ["no", "a string"],
    [0, "a number"],
  ])("refuse %o as an option", (sdkPatches, got) => {
    const client = new ServiceBusClient(connectionString);
    expect(() => azureTransport(client, { sdkPatches } as never)).toThrow(
      new TypeError(`sdkPatches must be a boolean; got ${got}.`),
    );
  });
});

interface Connection {
  open(): Promise<unknown>;
  readonly container: object;
  readonly options: { readonly properties: object };
}

function connectionOf(client: ServiceBusClient): Connection {
  return sdkParts(client).connection as unknown as Connection;
}

function prototypes(object: object): object[] {
  const prototype = Object.getPrototypeOf(object);
  return prototype === null ? [] : [prototype, ...prototypes(prototype)];
}

/** The warnings that the process emits meanwhile. */
function emitted(): Disposable & { readonly texts: readonly string[] } {
  const texts: string[] = [];
  const spy = vi.spyOn(process, "emitWarning").mockImplementation((text) => void texts.push(String(text)));
  return { texts, [Symbol.dispose]: () => spy.mockRestore() };
}
