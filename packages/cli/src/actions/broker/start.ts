import { once } from "node:events";
import type { Broker, Tier } from "@waybill/broker";
import type { ServerEvent } from "@waybill/broker-server";
import { defaultNamespace, type NamespaceConfig } from "@waybill/broker-server/config";
import { isLoopback, resolveBrokerKeys } from "../../broker-host/broker-keys.js";
import { BrokerLog } from "../../broker-host/broker-log.js";
import { ConnectionLog } from "../../broker-host/connection-log.js";
import { HostedNamespace } from "../../broker-host/hosted-namespace.js";
import { keepServing } from "../../broker-host/keep-serving.js";
import { inUrl } from "../../broker-host/port-holder.js";
import { portRefusal } from "../../broker-host/port-refusal.js";
import { type ReadyNamespace, removeReadyFile, writeReadyFile } from "../../broker-host/ready-file.js";
import { howToTrust } from "../../certificate/how-to-trust.js";
import { resolveTls } from "../../certificate/resolve-tls.js";
import { directoryOf, storedNamespaces } from "../../connection/data-directory.js";
import { type ExitCode, exitCodes } from "../../errors/exit-codes.js";
import { UsageError } from "../../errors/usage-error.js";
import { counted } from "../../output/counted.js";

/** How a broker is started. */
export interface StartOptions {
  readonly config?: string;
  readonly emulatorDefaults?: boolean;
  readonly data?: string;
  readonly port: number;
  readonly alsoPort?: readonly number[];
  readonly host: string;
  readonly tier?: Tier;
  readonly keys?: string;
  readonly acceptAnyone?: boolean;
  readonly allowOrigin?: readonly string[];
  readonly allowHost?: readonly string[];
  readonly tls?: boolean;
  readonly cert?: string;
  readonly certKey?: string;
  readonly readyFile?: string;
  readonly exitOnDiskFailure?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
}

/** `waybill broker`: serves until it is interrupted. */
export async function start(options: StartOptions): Promise<ExitCode> {
  if (options.acceptAnyone === true && !isLoopback(options.host))
    throw new UsageError(`--accept-anyone is for loopback addresses only, and --host is ${options.host}.`);
  const log = new BrokerLog(options.json === true, options.verbose === true);
  using _warnings = log.takeWarnings();
  // The first Ctrl-C lets it end in an orderly way; the second one ends it at once.
  const stopping = new AbortController();
  void Promise.race([once(process, "SIGINT"), once(process, "SIGTERM")]).then(() => stopping.abort());
  const namespaces = await readNamespaces(options, log);
  const hosted: HostedNamespace[] = [];
  const ready: ReadyNamespace[] = [];
  try {
    await removeReadyFile(options.readyFile);
    const { options: keys, mayShow } = await resolveBrokerKeys(options);
    const tls = await resolveTls(options);
    for (const [index, config] of namespaces.entries()) {
      const isFirst = index === 0;
      const connections = new ConnectionLog(log, config.name);
      const serve = {
        ...keys,
        tls: tls?.options,
        allowedOrigins: options.allowOrigin,
        allowedHosts: options.allowHost,
        host: options.host,
        port: options.port === 0 ? 0 : options.port + index,
        additionalPorts: isFirst ? options.alsoPort : undefined,
        onEvent: (event: ServerEvent) => connections.add(event),
      };
      const { data } = options;
      const directory =
        data === undefined ? undefined : directoryOf(data, config.name, namespaces.length === 1);
      const namespace = await HostedNamespace.open(config, {
        directory,
        tier: options.tier,
        serve,
        onLoading: (messages) =>
          log.event("loading", `Loading the stored messages: ${messages.toLocaleString("en")} so far.`, {
            namespace: config.name,
            messages,
          }),
        onOpened: (broker) => logEvents(log, config.name, broker),
      });
      hosted.push(namespace);
      ready.push(announce(log, namespace, mayShow));
    }
    warnOfOthers(log, options.data, namespaces);
    if (tls?.caFile !== undefined) log.event("tls", `${howToTrust(tls.caFile)}\n`, { ca: tls.caFile });
    await writeReadyFile(options.readyFile, ready);
    const readyMs = Math.round(performance.now());
    log.event("ready", `Ready after ${readyMs} ms. Ctrl-C stops it.`, { readyMs });
    const { signal } = stopping;
    const exits = options.exitOnDiskFailure === true;
    const serving = hosted.map((namespace) => keepServing(namespace, log, { signal, exits }));
    if (!(await Promise.race(serving))) return exitCodes.connection;
    await Promise.all(serving);
    log.event("stopping", "Stopping.");
  } catch (error) {
    throw await portRefusal(error, reachable(options.host));
  } finally {
    await removeReadyFile(options.readyFile);
    for (const namespace of hosted) await namespace.close();
  }
  log.event("stopped", "Stopped.");
  return exitCodes.ok;
}

/** Data that the configuration does not name must not be forgotten. */
function warnOfOthers(
  log: BrokerLog,
  data: string | undefined,
  namespaces: readonly NamespaceConfig[],
): void {
  if (data === undefined) return;
  for (const name of storedNamespaces(data))
    if (!namespaces.some((each) => each.name === name))
      log.warn(
        "data",
        `${data} also has the data of the namespace ${name}, which the configuration does not name.`,
        { namespace: name },
      );
}

function logEvents(log: BrokerLog, name: string, broker: Broker): void {
  if (!log.isVerbose) return;
  broker.onEvent(({ type, entity, sequenceNumber, messageId, sessionId, detail }) => {
    const number = sequenceNumber === undefined ? "" : ` ${sequenceNumber}`;
    const text = `${type} ${entity}${number}${detail === undefined ? "" : `: ${detail}`}`;
    log.debug(type, text, { namespace: name, entity, sequenceNumber, messageId, sessionId, detail });
  });
}

async function readNamespaces(
  { config, emulatorDefaults = false }: StartOptions,
  log: BrokerLog,
): Promise<readonly NamespaceConfig[]> {
  if (config === undefined) return [{ name: defaultNamespace, queues: [], topics: [] }];
  const { readBrokerConfig } = await import("@waybill/broker-server/config");
  return await readBrokerConfig(config, {
    emulatorDefaults,
    warn: (text) => log.warn("config", `${config}: ${text}`),
  });
}

function announce(
  log: BrokerLog,
  { name, directory, open: { broker, server } }: HostedNamespace,
  mayShow: boolean,
): ReadyNamespace {
  const entities = broker.listEntities();
  const count = (kind: string) => entities.filter((entity) => entity.kind === kind).length;
  const counts = { queues: count("queue"), topics: count("topic"), subscriptions: count("subscription") };
  const host = reachable(server.host);
  const connectionString = connectionStringOf(server.connectionString, server.host, mayShow);
  const health = `http://${host}:${server.port}/health`;
  const isEncrypted = !connectionString.includes("UseDevelopmentEmulator");
  const lines = [
    `Namespace ${name}, ${broker.tier ?? "all features"}, ${directory === undefined ? "in memory" : `in ${directory}`}: ` +
      `${counted(counts.queues, "queue")}, ${counted(counts.topics, "topic")}, ${counted(counts.subscriptions, "subscription")}`,
    `  ports   ${server.ports.join(", ")} of ${server.host}: AMQP, AMQP over WebSockets, HTTP${isEncrypted ? ", with TLS" : ""}`,
    `  health  ${health}`,
    "",
    `  ${connectionString}`,
    ...(isEncrypted && isLoopback(server.host) ? [`  ${connectionString};UseDevelopmentEmulator=true`] : []),
    "",
  ];
  const { host: address, ports } = server;
  const parts = { namespace: name, host: address, ports, health, connectionString };
  log.event("listening", lines.join("\n"), { ...parts, ...counts });
  return parts;
}

/** Clients cannot connect to "every address". */
function reachable(host: string): string {
  return host === "0.0.0.0" || host === "::" ? "localhost" : inUrl(host);
}

/** A key that the user gave is not printed. */
function connectionStringOf(text: string, host: string, mayShow: boolean): string {
  const address = text.replace(`sb://${inUrl(host)}:`, `sb://${reachable(host)}:`);
  return mayShow ? address : address.replace(/(SharedAccessKey=)[^;]+/, "$1***");
}
