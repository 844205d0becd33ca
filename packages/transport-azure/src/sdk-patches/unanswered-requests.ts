import { connectionEnded, endOf, untilEnded } from "./connection-end.js";
import { missingMethods } from "./sdk-internals.js";
import type { SdkPatch } from "./sdk-patch.js";

const doing = "before the answer came";

/**
 * Fails requests when their connection ends. Without this patch, the SDK waits for the answer until the request's timeout. For requests
 * made while opening a link that is a minute, whatever the client's options, during which the client restores no connection
 * (`@azure/service-bus` 7.9.5, `disconnected` in `connectionContext.js`).
 */
export const unansweredRequests: SdkPatch = {
  name: "unanswered-requests",
  obstacle: ({ connection, cbsSession, getManagementClient }) =>
    missingMethods("AMQP connection", connection._connection, ["on", "off"]) ??
    missingMethods("token client", cbsSession, ["isOpen", "negotiateClaim"]) ??
    missingMethods("connection context", { getManagementClient }, ["getManagementClient"]),
  cbs(cbs, connection) {
    const { negotiateClaim } = cbs;
    cbs.negotiateClaim = function (audience, token, type, options) {
      if (!this.isOpen()) return Promise.reject(connectionEnded(doing));
      return untilEnded([endOf(connection)], options, doing, (merged) =>
        negotiateClaim.call(this, audience, token, type, merged),
      );
    };
  },
  requestLink(link) {
    const { sendRequest } = link;
    link.sendRequest = function (request, options) {
      if (!this.isOpen()) return Promise.reject(connectionEnded(doing));
      return untilEnded([endOf(this.connection)], options, doing, (merged) =>
        sendRequest.call(this, request, merged),
      );
    };
  },
};
