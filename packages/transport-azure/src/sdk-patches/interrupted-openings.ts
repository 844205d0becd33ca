import { controllerForMany, untilAborted } from "@waybill/foundation";
import { connectionEnded, endOf, untilEnded } from "./connection-end.js";
import {
  type Abortable,
  type AmqpConnection,
  type ConnectionContext,
  missingMethods,
} from "./sdk-internals.js";
import type { SdkPatch } from "./sdk-patch.js";

const doing = "while a link was being opened";

/**
 * Fails pending openings when their connection ends or the client is closed, and prevents one caller from ending what others wait for.
 * Without this patch (`@azure/service-bus` 7.9.5, rhea-promise 3.0.3), a session or link whose connection closes while it is opened is
 * waited for up to a minute, during which the client restores no connection; and a call aborted while opening the connection closes it for
 * all other callers, who notice a minute later.
 */
export function interruptedOpenings(): SdkPatch {
  const closing = controllerForMany();
  const interruptible = <Opened>(
    connection: AmqpConnection,
    options: Abortable | undefined,
    open: (options: Abortable) => Promise<Opened>,
  ) =>
    closing.signal.aborted || !connection.isOpen()
      ? Promise.reject(interrupted())
      : untilEnded([closing.signal, endOf(connection)], options, doing, open);
  return {
    name: "interrupted-openings",
    obstacle: ({ connection, cbsSession }, client) =>
      missingMethods("client", client, ["close"]) ??
      missingMethods("AMQP connection", connection, ["open", "close", "isOpen"]) ??
      missingMethods("AMQP connection", connection._connection, ["on", "off", "abort_socket"]) ??
      missingMethods("token client", cbsSession, ["init"]),
    client(client, context) {
      const { close } = client;
      client.close = function () {
        closing.abort();
        endOpening(context.connection);
        return close.call(this);
      };
      resolveDisconnectWaits(context);
    },
    connection(connection) {
      openForAll(connection);
      const { createSession } = connection;
      connection.createSession = function (options) {
        return interruptible(this, options, (merged) => createSession.call(this, merged));
      };
    },
    session(session, connection) {
      for (const name of ["createReceiver", "createSender", "createAwaitableSender"] as const) {
        const create = session[name];
        session[name] = function (options) {
          return interruptible(connection, options, (merged) => create.call(this, merged));
        };
      }
    },
    cbs(cbs) {
      const { init } = cbs;
      let opening: Promise<void> | undefined;
      cbs.init = function ({ abortSignal, ...options } = {}) {
        opening ??= init.call(this, options).finally(() => {
          opening = undefined;
        });
        return untilAborted(opening, abortSignal, abortError);
      };
    },
  };
}

/** Connections being opened. */
const openings = new WeakMap<AmqpConnection, Promise<unknown>>();

/**
 * Opens the connection once for all callers; each may abort its own wait. A connection that has ended is not reopened: the client is about
 * to replace it, and would close it again.
 */
function openForAll(connection: AmqpConnection): void {
  const { open, close } = connection;
  const end = endOf(connection);
  connection.open = function (options) {
    if (end.aborted) return Promise.reject(interrupted());
    let opening = openings.get(this);
    if (opening === undefined) {
      opening = open.call(this).finally(() => openings.delete(this));
      openings.set(this, opening);
    }
    return untilAborted(opening, options?.abortSignal, abortError);
  };
  connection.close = function (options) {
    endOpening(this);
    return close.call(this, options);
  };
}

/** Without this patch, closing a connection that is being opened has no effect. */
function endOpening(connection: AmqpConnection): void {
  const { _connection: inner } = connection;
  if (openings.has(connection) && !connection.isOpen()) inner.abort_socket(inner.socket);
}

/** A connection closed from this side emits a close event but not `disconnected`. */
function resolveDisconnectWaits(context: ConnectionContext): void {
  const { waitForDisconnectedEvent } = context;
  if (waitForDisconnectedEvent === undefined) return;
  context.waitForDisconnectedEvent = function () {
    const end = endOf(this.connection);
    return new Promise<void>((resolve) => {
      end.addEventListener("abort", () => resolve(), { once: true });
      void waitForDisconnectedEvent.call(this).then(() => resolve());
    });
  };
}

function interrupted(): Error {
  return connectionEnded(doing);
}

/** The SDK recognises its own abort errors by name. */
function abortError(): Error {
  return Object.assign(new Error("The operation was aborted."), { name: "AbortError" });
}
