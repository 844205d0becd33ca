import { once } from "node:events";
import rhea from "rhea";

/**
 * As much of Service Bus as a client needs to get a link: it takes every token and every link, and settles what is sent until told otherwise.
 * Returns a connection string, its connections, and `answers`, by which it can be made to fall silent.
 */
export async function openService() {
  const container = rhea.create_container();
  const service = { answers: true, connections: [], connectionString: "", close: () => listener.close() };
  container.on("connection_open", ({ connection }) => service.connections.push(connection));
  container.on("sender_open", ({ sender }) => sender.set_source(sender.remote.attach.source));
  container.on("message", ({ message, receiver, delivery, connection }) => {
    if (receiver.target.address === "$cbs") answer(connection, message);
    if (service.answers) delivery.accept();
  });
  for (const event of ["disconnected", "connection_error", "connection_close", "error"]) {
    container.on(event, () => {});
  }
  container.options.receiver_options = { autoaccept: false };
  const listener = container.listen({ port: 0, host: "127.0.0.1" });
  await once(listener, "listening");
  const { port } = listener.address();
  service.connectionString = `Endpoint=sb://127.0.0.1:${port};SharedAccessKeyName=any;SharedAccessKey=any;UseDevelopmentEmulator=true`;
  return service;
}

function answer(connection, { message_id: correlationId, reply_to }) {
  const sender = connection.find_sender(
    (link) => link.remote.attach.target?.address === reply_to || link.name === reply_to,
  );
  sender?.send({
    correlation_id: correlationId,
    application_properties: { "status-code": 202, "status-description": "Accepted" },
  });
}

/** Ends the program: with 1 and the word "fault" while the fault is there, with 0 once it is mended. */
export function conclude(isFaulty, text) {
  console.log(`${isFaulty ? "fault" : "mended"}: ${text}`);
  process.exit(isFaulty ? 1 : 0);
}
