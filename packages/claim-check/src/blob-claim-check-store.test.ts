import { ContainerClient } from "@azure/storage-blob";
import { describe, expect, it } from "vitest";
import { startBlobService } from "./blob-service.test-support.js";
import { blobClaimCheckStore } from "./index.js";

describe("blobClaimCheckStore", () => {
  it("stores blobs with its prefix", async () => {
    const service = await startBlobService();
    const store = blobClaimCheckStore(new ContainerClient(service.containerUrl), { prefix: "orders/" });
    await store.put("2026-11-05/a", Uint8Array.of(1), {});
    expect([...service.blobs.keys()]).toEqual(["/account/container/orders/2026-11-05/a"]);
    await service.close();
  });

  it("rejects if the container does not exist, instead of reporting a missing body", async () => {
    const service = await startBlobService();
    const store = blobClaimCheckStore(new ContainerClient(service.containerUrl));
    service.state.isContainerThere = false;
    await expect(store.get("a", { maxBytes: 1 })).rejects.toMatchObject({ code: "ContainerNotFound" });
    await service.close();
  });

  it("rejects if the service is unavailable", async () => {
    const service = await startBlobService();
    const client = new ContainerClient(service.containerUrl, undefined, { retryOptions: { maxTries: 1 } });
    await service.close();
    await expect(blobClaimCheckStore(client).get("a", { maxBytes: 1 })).rejects.toThrow();
  });

  it("refuses misspelt options, and an invalid container", () => {
    const client = new ContainerClient("http://127.0.0.1/account/container");
    expect(() => blobClaimCheckStore(client, { prefx: "orders/" } as object)).toThrow(
      new TypeError('blobClaimCheckStore: there is no option "prefx"; did you mean "prefix"?'),
    );
    expect(() => blobClaimCheckStore(client, { prefix: 1 } as never)).toThrow(
      "prefix must be a string; got a number",
    );
    expect(() => blobClaimCheckStore("container" as never)).toThrow("needs a ContainerClient");
  });
});
