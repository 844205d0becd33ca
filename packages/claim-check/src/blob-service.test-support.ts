import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * The part of the Blob service over HTTP that the store uses: Put Blob, Put Block, Put Block List, Get Blob with a range, Delete Blob.
 * Source: Azure Storage REST API reference.
 */
export async function startBlobService() {
  const blobs = new Map<string, Buffer>();
  const blocks = new Map<string, Buffer>();
  const state = { isContainerThere: true };
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) => response.destroy(error as Error));
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url!, "http://localhost");
    const body = await bodyOf(request);
    if (!state.isContainerThere) return fail(response, 404, "ContainerNotFound");
    if (request.method === "PUT") {
      const block = searchParams.get("blockid");
      if (block !== null) blocks.set(`${pathname} ${block}`, body);
      else if (searchParams.get("comp") === "blocklist") blobs.set(pathname, joined(pathname, body));
      else blobs.set(pathname, body);
      return reply(response, 201);
    }
    const blob = blobs.get(pathname);
    if (blob === undefined) return fail(response, 404, "BlobNotFound");
    if (request.method === "DELETE") {
      blobs.delete(pathname);
      return reply(response, 202);
    }
    const [from, to] = String(request.headers["x-ms-range"]).match(/\d+/g)!.map(Number) as [number, number];
    if (from >= blob.length) return fail(response, 416, "InvalidRange");
    const piece = blob.subarray(from, to + 1);
    const range = `bytes ${from}-${from + piece.length - 1}/${blob.length}`;
    return reply(response, 206, piece, { "content-range": range });
  }

  function joined(pathname: string, list: Buffer): Buffer {
    const ids = [...list.toString().matchAll(/<Latest>([^<]+)<\/Latest>/g)].map(([, id]) => id!);
    return Buffer.concat(ids.map((id) => blocks.get(`${pathname} ${id}`)!));
  }

  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    blobs,
    state,
    containerUrl: `http://127.0.0.1:${port}/account/container`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

function reply(
  response: ServerResponse,
  status: number,
  body: Buffer = Buffer.alloc(0),
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, {
    "content-length": body.length,
    etag: '"0x1"',
    "last-modified": "Thu, 05 Nov 2026 12:00:00 GMT",
    "x-ms-version": "2025-01-05",
    "x-ms-request-id": "1",
    ...headers,
  });
  response.end(body);
}

function fail(response: ServerResponse, status: number, code: string): void {
  reply(response, status, Buffer.from(`<?xml version="1.0"?><Error><Code>${code}</Code></Error>`), {
    "content-type": "application/xml",
    "x-ms-error-code": code,
  });
}
