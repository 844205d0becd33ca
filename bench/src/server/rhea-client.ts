import { once } from "node:events";
import rhea, { type Connection } from "rhea";

const body = rhea.message.data_section(Buffer.alloc(1024, "x"));

/** Connects with rhea, the AMQP library under the official client. */
export async function connectRhea(port: number): Promise<Connection> {
  const connection = rhea
    .create_container()
    .connect({ port, host: "127.0.0.1", username: "anonymous", reconnect: false });
  await once(connection, "connection_open");
  return connection;
}

/** Sends messages of 1 KB, as many in flight as rhea keeps; resolves with the ms until the last is accepted. */
export async function sendWithRhea(connection: Connection, address: string, count: number): Promise<number> {
  const startMs = performance.now();
  const sender = connection.open_sender({ target: { address } });
  let sent = 0;
  let accepted = 0;
  await new Promise<void>((resolve) => {
    sender.on("sendable", () => {
      while (sent < count && sender.sendable()) sender.send({ message_id: `m${sent++}`, body });
    });
    sender.on("accepted", () => {
      if (++accepted === count) resolve();
    });
  });
  sender.close();
  return performance.now() - startMs;
}

/** Receives and accepts messages with a credit window of 1,000; resolves with the ms until the last has come. */
export async function receiveWithRhea(
  connection: Connection,
  address: string,
  count: number,
): Promise<number> {
  const startMs = performance.now();
  const receiver = connection.open_receiver({ source: { address }, credit_window: 1000 });
  let received = 0;
  await new Promise<void>((resolve) => {
    receiver.on("message", () => {
      if (++received === count) resolve();
    });
  });
  receiver.close();
  return performance.now() - startMs;
}
