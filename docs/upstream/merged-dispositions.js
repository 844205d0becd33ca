import { once } from "node:events";
import rhea from "rhea";
import { conclude } from "./service.js";

// A broker that sends two messages and notes what the client says to each.
const broker = rhea.create_container();
const outcomes = [];
let sent = 0;
broker.on("sendable", ({ sender }) => {
  while (sent < 2 && sender.sendable()) sender.send({ body: ++sent });
});
for (const outcome of ["accepted", "rejected"]) {
  broker.on(outcome, () => {
    outcomes.push(outcome);
    if (outcomes.length < 2) return;
    conclude(outcomes.join() === "accepted,accepted", `accept, reject arrives as ${outcomes.join(", ")}`);
  });
}
const listener = broker.listen({ port: 0, host: "127.0.0.1" });
await once(listener, "listening");

// A client that accepts the first and rejects the second, in the same turn of the event loop.
const client = rhea.create_container();
const deliveries = [];
client.on("message", ({ delivery }) => {
  deliveries.push(delivery);
  if (deliveries.length < 2) return;
  deliveries[0].accept();
  deliveries[1].reject({ condition: "amqp:internal-error", description: "unreadable" });
});
client
  .connect({ host: "127.0.0.1", port: listener.address().port })
  .open_receiver({ source: "orders", autoaccept: false });
