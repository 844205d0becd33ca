import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { AnonymousCredential, ContainerClient } from "@azure/storage-blob";
import { expect, it } from "vitest";
import { ordersPipeline } from "../../../test/orders.js";
import { contractOf, contractsInContainer, writeToContainer } from "../../contract.js";

/** The part of the Blob service that the container client uses here: List Blobs, Put Blob, Get Blob. Source: Azure Storage REST API reference. */
async function startBlobService() {
  const blobs = new Map<string, Buffer>();
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url!, "http://localhost");
    const name = pathname.split("/").at(-1)!;
    response.setHeader("x-ms-request-id", "1").setHeader("last-modified", "Thu, 05 Nov 2026 12:00:00 GMT");
    if (request.method === "PUT") {
      blobs.set(name, await buffer(request));
      response.writeHead(201, { etag: '"0x1"' }).end();
    } else if (searchParams.get("comp") === "list") {
      const items = [...blobs].map(
        ([each, { length }]) =>
          `<Blob><Name>${each}</Name><Properties><Content-Length>${length}</Content-Length></Properties></Blob>`,
      );
      response
        .writeHead(200, { "content-type": "application/xml" })
        .end(
          `<?xml version="1.0"?><EnumerationResults ServiceEndpoint="" ContainerName="c"><Blobs>${items.join("")}</Blobs><NextMarker/></EnumerationResults>`,
        );
    } else {
      const blob = blobs.get(name)!;
      const headers = { "content-length": blob.length, etag: '"0x1"' };
      const range = `bytes 0-${blob.length - 1}/${blob.length}`;
      if (request.method === "HEAD") response.writeHead(200, headers).end();
      else response.writeHead(206, { ...headers, "content-range": range }).end(blob);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    blobs,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/account/production`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

it("contracts of what runs are kept in a container, one blob for each service", async () => {
  await using service = await startBlobService();
  const container = new ContainerClient(service.url, new AnonymousCredential());
  const contract = contractOf(ordersPipeline(), { service: "orders" });
  expect(await writeToContainer(container, contract)).toBe("orders.json");
  service.blobs.set("readme.txt", Buffer.from("Contracts of what runs in production"));
  const found = await contractsInContainer(container);
  expect(found).toEqual([{ name: "orders.json", contract: JSON.parse(JSON.stringify(contract)) }]);
  service.blobs.set("billing.json", Buffer.from("{}"));
  await expect(contractsInContainer(container)).rejects.toThrow("billing.json is not a contract file");
});
