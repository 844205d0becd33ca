import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ContainerClient } from "@azure/storage-blob";
import { type ClaimCheckStoreSubject, claimCheckStoreCases } from "@waybill/conformance";
import { describe, it } from "vitest";
import { startBlobService } from "./blob-service.test-support.js";
import { blobClaimCheckStore, fileClaimCheckStore } from "./index.js";

const subjects: Readonly<Record<string, ClaimCheckStoreSubject>> = {
  "fileClaimCheckStore()": {
    async create() {
      const directory = await mkdtemp(join(tmpdir(), "waybill-claim-check-"));
      return {
        store: fileClaimCheckStore(directory),
        [Symbol.asyncDispose]: () => rm(directory, { recursive: true }),
      };
    },
  },
  "blobClaimCheckStore() with the client of @azure/storage-blob": {
    async create() {
      const service = await startBlobService();
      const store = blobClaimCheckStore(new ContainerClient(service.containerUrl), { prefix: "bodies/" });
      return { store, [Symbol.asyncDispose]: () => service.close() };
    },
  },
  // A container of a storage account or of Azurite, as a URL with a token that may read, write and delete.
  ...(process.env.BLOB_CONTAINER_URL === undefined
    ? {}
    : { "blobClaimCheckStore() on Azure": realContainer(process.env.BLOB_CONTAINER_URL) }),
};

describe.each(Object.entries(subjects))(
  "%s passes the conformance suite for claim-check stores",
  (_, subject) => {
    for (const { name, run } of claimCheckStoreCases(subject)) it(name, run);
  },
);

function realContainer(url: string): ClaimCheckStoreSubject {
  return {
    async create() {
      const container = new ContainerClient(url);
      const prefix = `waybill-test-${crypto.randomUUID()}/`;
      return {
        store: blobClaimCheckStore(container, { prefix }),
        async [Symbol.asyncDispose]() {
          for await (const { name } of container.listBlobsFlat({ prefix })) await container.deleteBlob(name);
        },
      };
    },
  };
}
