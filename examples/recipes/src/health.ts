import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createBroker } from "@waybill/broker";
import { WaybillClient } from "@waybill/core";
import { json } from "@waybill/serializer-json";
import { localTransport } from "@waybill/transport-local";

const broker = createBroker();
await broker.createQueue("orders");
const client = new WaybillClient(localTransport(broker), { serializer: json() });
client.createReceiver("orders").subscribe({ processMessage() {}, processError() {} });
// #region probe
const probe = createServer((_request, response) => {
  const { status, links, openCircuits } = client.health();
  response.statusCode = status === "ready" ? 200 : 503;
  response.end(JSON.stringify({ status, links, openCircuits }));
});
// #endregion
probe.listen(0, "127.0.0.1");
await once(probe, "listening");
const address = `http://127.0.0.1:${(probe.address() as AddressInfo).port}/`;
const answer = await fetch(address);
console.log(answer.status, await answer.text());
await client.close();
console.log((await fetch(address)).status);
probe.close();
probe.closeAllConnections();
// 200 {"status":"ready","links":[{"entityPath":"orders","isOpen":true,"credit":1,"stalls":0}],"openCircuits":[]}
// 503
