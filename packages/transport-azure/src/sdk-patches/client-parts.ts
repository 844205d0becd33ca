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
  requestLink?(link: RequestLink): void;
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
  const all = together(patches);
  all.client(client, context);
  patchConnection(context, all);
  const { refreshConnection } = context;
  // The SDK creates a new connection after one broke.
  context.refreshConnection = function () {
    refreshConnection.call(this);
    patchConnection(this, all);
  };
  patchRequestLinks(context, all);
}

function together(patches: readonly PartPatches[]): Required<PartPatches> {
  const each = (apply: (patch: PartPatches) => void) => {
    for (const patch of patches) apply(patch);
  };
  return {
    client: (client, context) => each((patch) => patch.client?.(client, context)),
    connection: (connection) => each((patch) => patch.connection?.(connection)),
    session: (session, connection) => each((patch) => patch.session?.(session, connection)),
    link: (link, connection) => each((patch) => patch.link?.(link, connection)),
    cbs: (cbs, connection) => each((patch) => patch.cbs?.(cbs, connection)),
    requestLink: (link) => each((patch) => patch.requestLink?.(link)),
  };
}

function patchConnection(
  { connection, cbsSession }: ConnectionContext,
  patches: Required<PartPatches>,
): void {
  const { createSession } = connection;
  connection.createSession = async function (options) {
    const session = await createSession.call(this, options);
    patchSession(session, this, patches);
    return session;
  };
  patches.connection(connection);
  patches.cbs(cbsSession, connection);
}

function patchSession(
  session: AmqpSession,
  connection: AmqpConnection,
  patches: Required<PartPatches>,
): void {
  for (const name of ["createReceiver", "createSender", "createAwaitableSender"] as const) {
    const create = session[name];
    session[name] = async function (options) {
      const link = await create.call(this, options);
      patches.link(link, connection);
      return link;
    };
  }
  patches.session(session, connection);
}

function patchRequestLinks(context: ConnectionContext, patches: Required<PartPatches>): void {
  const known = new WeakSet<ManagementClient>();
  const patch = (client: ManagementClient): ManagementClient => {
    if (known.has(client)) return client;
    known.add(client);
    const { createRheaLink } = client;
    client.createRheaLink = async function (...options) {
      const link = await createRheaLink.apply(this, options);
      patches.requestLink(link);
      return link;
    };
    if (client.link !== undefined) patches.requestLink(client.link);
    return client;
  };
  for (const client of Object.values(context.managementClients ?? {})) patch(client);
  const { getManagementClient } = context;
  context.getManagementClient = function (entityPath) {
    return patch(getManagementClient.call(this, entityPath));
  };
}
