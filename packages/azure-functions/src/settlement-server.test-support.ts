import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { ServiceBusReceivedMessage } from "@azure/service-bus";
import * as grpc from "@grpc/grpc-js";
import { loadSync } from "@grpc/proto-loader";
import rhea from "rhea";
import type { HostLocks } from "./functions-host.test-support.js";

/** The host's settlement service, which the actions of the installed extension call by gRPC. */
export interface SettlementServer {
  /** Carries out the calls on these locks from now on. */
  use(locks: HostLocks): void;
  close(): Promise<void>;
}

interface Request {
  readonly locktoken: string;
  readonly propertiesToModify: Buffer;
  readonly deadletterReason: { readonly value: string } | null;
  readonly deadletterErrorDescription: { readonly value: string } | null;
}

type Call = grpc.ServerUnaryCall<Request, unknown>;

/** Where the calls of the one client of this process go: the extension connects once. */
let locksInUse: HostLocks | undefined;
let server: Promise<void> | undefined;

/** Serves the proto of the installed extension, and tells the extension where, as the host does: by the arguments of the process. */
export async function openSettlementServer(): Promise<SettlementServer> {
  server ??= start();
  await server;
  return {
    use(locks) {
      locksInUse = locks;
    },
    async close() {
      locksInUse = undefined;
    },
  };
}

async function start(): Promise<void> {
  const require = createRequire(import.meta.url);
  const main = require.resolve("@azure/functions-extensions-servicebus");
  const definition = loadSync(join(dirname(main), "proto/settlement.proto"), { keepCase: true });
  const { Settlement } = grpc.loadPackageDefinition(definition) as unknown as {
    Settlement: { service: grpc.ServiceDefinition };
  };
  const host = new grpc.Server();
  host.addService(Settlement.service, {
    Complete: unary((_request, message, { receiver }) => receiver.completeMessage(message)),
    Abandon: unary(({ propertiesToModify }, message, { receiver }) =>
      receiver.abandonMessage(message, decoded(propertiesToModify)),
    ),
    Defer: unary(({ propertiesToModify }, message, { receiver }) =>
      receiver.deferMessage(message, decoded(propertiesToModify)),
    ),
    Deadletter: unary((request, message, { receiver }) =>
      receiver.deadLetterMessage(message, {
        ...decoded(request.propertiesToModify),
        deadLetterReason: request.deadletterReason?.value,
        deadLetterErrorDescription: request.deadletterErrorDescription?.value,
      } as never),
    ),
  });
  const port = await new Promise<number>((resolve, reject) =>
    host.bindAsync("127.0.0.1:0", grpc.ServerCredentials.createInsecure(), (error, bound) =>
      error === null ? resolve(bound) : reject(error),
    ),
  );
  process.argv.push(
    "--host",
    "127.0.0.1",
    "--port",
    String(port),
    "--functions-grpc-max-message-length",
    "4194304",
  );
  require("@azure/functions-extensions-servicebus");
}

/** A call that settles a message: unknown tokens are FAILED_PRECONDITION, as in `SettlementService` of the host. */
function unary(
  work: (request: Request, message: ServiceBusReceivedMessage, locks: HostLocks) => Promise<void>,
) {
  return ({ request }: Call, respond: grpc.sendUnaryData<object>) => {
    const locks = locksInUse!;
    locks
      .settle(request.locktoken, (message) => work(request, message, locks))
      .then(
        () => respond(null, {}),
        (error: { readonly code?: unknown; readonly message?: string }) =>
          respond({
            code: error.code === 9 ? grpc.status.FAILED_PRECONDITION : grpc.status.UNKNOWN,
            details: `${String(error.code)} ${error.message}`,
          }),
      );
  };
}

/** The properties of an AMQP map. */
function decoded(bytes: Buffer): Record<string, never> {
  if (bytes.length === 0) return {};
  const { Reader } = rhea.types as unknown as { readonly Reader: new (bytes: Buffer) => { read(): unknown } };
  return rhea.types.unwrap_map_simple(new Reader(bytes).read()) as never;
}
