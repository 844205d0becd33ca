import type {
  AmqpConnection,
  AmqpLink,
  AmqpSession,
  CbsClient,
  ConnectionContext,
  ManagementClient,
  RequestLink,
  SdkClient,
} from "./sdk-internals.js";

/** What a patch changes on each part of a client, called when the part is created. */
export interface PartPatches {
  client?(client: SdkClient, context: ConnectionContext): void;
  connection?(connection: AmqpConnection): void;
  session?(session: AmqpSession, connection: AmqpConnection): void;
  link?(link: AmqpLink, connection: AmqpConnection): void;
  cbs?(cbs: CbsClient, connection: AmqpConnection): void;
  requestLink?(link: RequestLink, client: ManagementClient): void;
}

/**
 * Applies patches to all present and future parts of a client. Methods are replaced on the client's own objects; their classes, which other
 * code in the process uses, stay unchanged.
 */
export function patchParts(
  client: SdkClient,
  context: ConnectionContext,
  patches: readonly PartPatches[],
): void {
  for (const patch of patches) patch.client?.(client, context);
  patchConnection(context, patches);
  const { refreshConnection } = context;
  // The SDK creates a new connection after one broke.
  context.refreshConnection = function () {
    refreshConnection.call(this);
    patchConnection(this, patches);
  };
  patchRequestLinks(context, patches);
}

function patchConnection(
  { connection, cbsSession }: ConnectionContext,
  patches: readonly PartPatches[],
): void {
  const { createSession } = connection;
  connection.createSession = async function (options) {
    const session = await createSession.call(this, options);
    patchSession(session, this, patches);
    return session;
  };
  for (const patch of patches) patch.connection?.(connection);
  for (const patch of patches) patch.cbs?.(cbsSession, connection);
}

function patchSession(
  session: AmqpSession,
  connection: AmqpConnection,
  patches: readonly PartPatches[],
): void {
  for (const name of ["createReceiver", "createSender", "createAwaitableSender"] as const) {
    const create = session[name];
    session[name] = async function (options) {
      const link = await create.call(this, options);
      for (const patch of patches) patch.link?.(link, connection);
      return link;
    };
  }
  for (const patch of patches) patch.session?.(session, connection);
}

function patchRequestLinks(context: ConnectionContext, patches: readonly PartPatches[]): void {
  const known = new WeakSet<ManagementClient>();
  const patchLink = (link: RequestLink, client: ManagementClient) => {
    for (const patch of patches) patch.requestLink?.(link, client);
  };
  const patchClient = (client: ManagementClient): ManagementClient => {
    if (known.has(client)) return client;
    known.add(client);
    const { createRheaLink } = client;
    client.createRheaLink = async function (...options) {
      const link = await createRheaLink.apply(this, options);
      patchLink(link, client);
      return link;
    };
    if (client.link !== undefined) patchLink(client.link, client);
    return client;
  };
  for (const client of Object.values(context.managementClients ?? {})) patchClient(client);
  const { getManagementClient } = context;
  context.getManagementClient = function (entityPath) {
    return patchClient(getManagementClient.call(this, entityPath));
  };
}
