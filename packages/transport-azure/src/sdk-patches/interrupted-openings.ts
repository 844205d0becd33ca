import { untilAborted } from "@waybill/core/transport";
import { controllerForMany } from "../foundation/controller-for-many.js";
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
 * Ends what is being opened when its connection ends or the client is closed, and lets nobody end what others wait for. By itself
 * (`@azure/service-bus` 7.9.5, rhea-promise 3.0.3) a session or link whose connection is closed before it is open is waited for a minute,
 * and the client restores its connection for nobody until then; and a call that is given up while it opens the connection closes it
 * for all others, which notice a minute later.
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
      notifyWhoWaitsForItsEnd(context);
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

/** Connections that are being opened at present. */
const openings = new WeakMap<AmqpConnection, Promise<unknown>>();

/**
 * Opens the connection once for all who want it, of whom each may give up. One that has ended is not opened again: the client is about to
 * replace it, and would close it under whoever opened it.
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

/** By itself, closing a connection that is being opened does nothing. */
function endOpening(connection: AmqpConnection): void {
  const { _connection: inner } = connection;
  if (openings.has(connection) && !connection.isOpen()) inner.abort_socket(inner.socket);
}

/** A connection that was closed from this side emits that it is closed, and not that it is disconnected. */
function notifyWhoWaitsForItsEnd(context: ConnectionContext): void {
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

/** As the SDK's own, which it knows by the name. */
function abortError(): Error {
  return Object.assign(new Error("The operation was aborted."), { name: "AbortError" });
}
