import type { AddressInfo } from "node:net";
import rhea, { type EventContext, type Sender } from "rhea";

/** The least that stores and forwards: a list of messages, given to whoever has credit and forgotten when delivered. */
export function serveWithRhea(): Promise<number> {
  const container = rhea.create_container();
  container.sasl_server_mechanisms.enable_anonymous();
  const queue: unknown[] = [];
  let given = 0;
  const give = ({ sender }: EventContext): void => {
    while (sender?.sendable() && given < queue.length) sender.send(queue[given++] as never);
    if (given === queue.length) {
      queue.length = 0;
      given = 0;
    }
  };
  container.on("message", ({ message }: EventContext) => void queue.push(message));
  container.on("sender_open", ({ sender }: EventContext) => {
    sender?.set_source((sender as Sender & { source: object }).source as never);
  });
  container.on("sendable", give);
  container.on("settled", give);
  container.on("receiver_open", ({ receiver }: EventContext) =>
    receiver?.set_target(receiver.target as never),
  );
  const server = container.listen({
    port: 0,
    host: "127.0.0.1",
    receiver_options: { credit_window: 5000 },
    sender_options: { autosettle: true },
  });
  server.on("connection", (socket) => socket.setNoDelay());
  return new Promise((resolve) => {
    server.on("listening", () => resolve((server.address() as AddressInfo).port));
  });
}
