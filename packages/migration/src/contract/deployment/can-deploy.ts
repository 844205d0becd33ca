import type { Pipeline } from "@waybill/core";
import { type OptionNames, requireKnownOptions } from "@waybill/core/serializer";
import type { CallOptions } from "@waybill/core/transport";
import type { BeaconStore } from "../../capability/beacon-store.js";
import { liveBeacons } from "../../capability/live-beacons.js";
import { Checker, type ContractFinding, type NamedContract, worstOf } from "../check/check-contract.js";
import { liveReaderFindings } from "../check/live-readers.js";
import { schemaSharing } from "../check/schema-sharing.js";
import type { Contract } from "../model/contract.js";

/** What is to be deployed, and what runs where it is to run. */
export interface CanDeployOptions extends CallOptions {
  /** The contract of this commit. */
  readonly contract: Contract;
  /** The chain of this commit. */
  readonly pipeline: Pipeline;
  /** The contracts of what runs there, also the one of the service itself. Default: none. */
  readonly running?: readonly NamedContract[] | undefined;
  /** Where live readers announce themselves. Default: they do not. */
  readonly beacons?: BeaconStore | undefined;
  /** As {@link CheckContractOptions.writesOnlyDeclared}. */
  readonly writesOnlyDeclared?: boolean | undefined;
  /** The time now, in ms since 1970, by which beacons expire. Default: the system's. */
  readonly nowMs?: number | undefined;
}

/** Whether something can be deployed. */
export interface DeploymentAnswer {
  /** `"yes"`: everything that is known to run reads what this writes, and this reads what it writes. `"not-known"`: something is not decided, or nothing runs. */
  readonly answer: "yes" | "no" | "not-known";
  /** What was compared: contracts in both directions, live readers as readers of what this writes. */
  readonly findings: readonly ContractFinding[];
  /** How many live readers were asked. */
  readonly liveReaders: number;
}

const optionNames: OptionNames<CanDeployOptions> = {
  contract: true,
  pipeline: true,
  running: true,
  beacons: true,
  writesOnlyDeclared: true,
  nowMs: true,
  abortSignal: true,
};

/**
 * Asks whether this commit can be deployed beside what runs: each running contract that shares a message type is compared in both directions, and every
 * live reader must read what this writes, with the same schema. Rejects as the beacon store does; throws `TypeError` for an invalid option.
 */
export async function canDeploy(options: CanDeployOptions): Promise<DeploymentAnswer> {
  requireKnownOptions("canDeploy", options, optionNames);
  const { pipeline, beacons, writesOnlyDeclared = false, nowMs = Date.now(), abortSignal } = options;
  const share = schemaSharing();
  const contract = share(options.contract);
  const running = (options.running ?? []).map(({ name, contract }) => ({ name, contract: share(contract) }));
  const checker = new Checker(pipeline, writesOnlyDeclared);
  const findings: ContractFinding[] = [];
  for (const { name, contract: other } of running) {
    const both = [
      ...(await checker.compare({ contract: other }, { contract, pipeline }, "backward", name)),
      ...(await checker.compare({ contract, pipeline }, { contract: other }, "forward", name)),
    ];
    // A service that does not know a type does not receive it, unless it is the service itself or reads the same queue.
    const isMet = other.service === contract.service || sharesQueue(contract, other);
    findings.push(
      ...both.filter(
        ({ messageType }) => isMet || knows(contract, messageType) === knows(other, messageType),
      ),
    );
  }
  const live = beacons === undefined ? [] : (await liveBeacons(beacons, { nowMs }, { abortSignal })).counting;
  findings.push(...live.flatMap((beacon) => liveReaderFindings(beacon, contract, pipeline)));
  const answers = { compatible: "yes", incompatible: "no", "not-decided": "not-known" } as const;
  const answer =
    findings.length === 0 ? "not-known" : answers[worstOf(findings.map(({ verdict }) => verdict))];
  return { answer, findings, liveReaders: live.length };
}

function knows({ messageTypes }: Contract, messageType: string): boolean {
  return messageTypes.some(({ name, aliases }) => name === messageType || aliases.includes(messageType));
}

/** Whether one receives from a queue to which the other sends. Subscriptions have rules, which may leave types out. */
function sharesQueue(one: Contract, other: Contract): boolean {
  const meets = (sender: Contract, receiver: Contract) =>
    receiver.entities.receives.some((path) =>
      sender.entities.sends.some((sent) => sent.toLowerCase() === path.toLowerCase()),
    );
  return meets(one, other) || meets(other, one);
}
