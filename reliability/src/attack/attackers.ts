import { request as requestHttp } from "node:http";
import { connect as connectTcp, type Socket } from "node:net";
import { getPriority, setPriority } from "node:os";
import { connect } from "node:tls";
import { pause } from "waybill-harness/waiting.js";
import { Attacker } from "./attacker.js";
import type { FloodContext, HttpRequest } from "./flood.js";
import { allFloods } from "./floods.js";
import { tokenFor } from "./requests.js";

// The attackers, in a separate process of low priority. Its parent names a flood and its duration.
// Arguments: port of AMQP, port of TLS.

/** What attackers sent and received. */
export interface Report {
  readonly connections: number;
  /** Frames that the server sent them. */
  readonly answers: number;
  readonly failures: readonly string[];
}

/** How long an answer may take, in ms. */
const patienceMs = 5_000;

const [port = 0, tlsPort = 0] = process.argv.slice(2).map(Number);
setPriority(Math.min(19, getPriority() + 10));

process.on("message", ({ name, ms }: { readonly name: string; readonly ms: number }) => {
  const endsAt = performance.now() + ms;
  void attack(name, () => performance.now() >= endsAt).then((report) => process.send?.(report));
});
process.on("disconnect", () => process.exit());

async function attack(name: string, isOver: () => boolean): Promise<Report> {
  const flood = allFloods.find((one) => one.name === name);
  if (flood === undefined) throw new Error(`There is no flood '${name}'`);
  const attackers: Attacker[] = [];
  let others = 0;
  const sockets: Socket[] = [];
  const failures: string[] = [];
  const add = (attacker: Attacker): Attacker => {
    attackers.push(attacker);
    return attacker;
  };
  const context: FloodContext = {
    open: async (key) => add(await Attacker.open(port, key)),
    async again(key, act) {
      while (!isOver()) {
        const attacker = await context.open(key);
        await act(attacker, () => !attacker.isOver && !isOver());
        attacker.close();
      }
    },
    openSilent: (to = "amqp") => add(Attacker.openSilent(to === "amqp" ? port : tlsPort)),
    shakeHands() {
      others++;
      return shakeHands();
    },
    openHalf(text, to) {
      others++;
      sockets.push(openHalf(text, to));
    },
    ask(request) {
      others++;
      return ask(request);
    },
    fail: (fault) => void failures.push(fault),
    isOver,
  };
  const { attackers: count = 3 } = flood;
  await Promise.race([Promise.all(Array.from({ length: count }, () => flood.run(context))), waitFor(isOver)]);
  const answers = attackers.reduce((sum, attacker) => sum + attacker.answers, 0);
  for (const attacker of attackers) attacker.close();
  for (const socket of sockets) socket.destroy();
  return { connections: attackers.length + others, answers, failures };
}

function openHalf(text: string, to: "amqp" | "tls"): Socket {
  const options = { host: "127.0.0.1", allowHalfOpen: true };
  const socket =
    to === "tls"
      ? connect({ ...options, port: tlsPort, rejectUnauthorized: false })
      : connectTcp({ ...options, port });
  socket.on("error", () => {}).resume();
  socket.write(text);
  return socket;
}

function ask({ method, path, type, key, body }: HttpRequest): Promise<number> {
  const authorization = tokenFor(key, `http://127.0.0.1:${port}${path}`, 60);
  const headers = { authorization, ...(type !== undefined && { "content-type": type }) };
  return new Promise((resolve) => {
    const to = { port, host: "127.0.0.1", method, path, headers, agent: false, timeout: patienceMs };
    const sent = requestHttp(to, (answer) => {
      answer.resume().on("close", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("timeout", () => sent.destroy()).on("error", () => resolve(0));
    sent.end(body);
  });
}

function shakeHands(): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port: tlsPort, host: "127.0.0.1", rejectUnauthorized: false });
    socket.on("secureConnect", () => socket.destroy());
    socket.on("error", () => {});
    socket.on("close", () => resolve());
  });
}

async function waitFor(isOver: () => boolean): Promise<void> {
  while (!isOver()) await pause(20);
  await pause(500);
}
