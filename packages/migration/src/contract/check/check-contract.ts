import type { Pipeline } from "@waybill/core";
import { type OptionNames, requireKnownOptions, requireOneOf } from "@waybill/core/serializer";
import type { CallOptions } from "@waybill/core/transport";
import type { BeaconStore } from "../../capability/beacon-store.js";
import { liveBeacons } from "../../capability/live-beacons.js";
import type { Contract, ContractType, WrittenForm } from "../model/contract.js";
import { sortedForms } from "../model/sorted-forms.js";
import { formObstacles } from "../structure/form-obstacles.js";
import type { Obstacle } from "../structure/obstacle.js";
import { Candidates } from "./candidates.js";
import { liveReaderFindings } from "./live-readers.js";
import type { Workshop } from "./rebuilt-side.js";
import { schemaSharing } from "./schema-sharing.js";
import { type SideOfTrial, type Trial, tryForm } from "./try-form.js";

/** What is compared, and how. */
export interface CheckContractOptions extends CallOptions {
  /** The contract of this commit. */
  readonly contract: Contract;
  /** The chain of this commit. Without it there is only the structural proof. Default: none. */
  readonly pipeline?: Pipeline | undefined;
  /** Earlier contracts of the service, the newest first: each is compared with this one. Default: none, only what this one says of itself is tried. */
  readonly baselines?: readonly NamedContract[] | undefined;
  /** Where live readers announce themselves: unless the mode is `"backward"`, each must read what this writes. Needs `pipeline`. Default: they do not. */
  readonly beacons?: BeaconStore | undefined;
  /**
   * `"backward"`: this reads what the baselines wrote. `"forward"`: the baselines read what this writes. `"full"` (default): both.
   */
  readonly mode?: CompatibilityMode | undefined;
  /**
   * Whether writers write only properties that their JSON Schemas name, also where a schema lets them write others. Default false: without
   * `additionalProperties: false` a new optional property is then a break, because messages may have something else under its name.
   */
  readonly writesOnlyDeclared?: boolean | undefined;
}

/** A contract with what it is called in the result: a file, a revision. */
export interface NamedContract {
  readonly name: string;
  readonly contract: Contract;
}

export type CompatibilityMode = "backward" | "forward" | "full";

/** Whether a reader reads everything that a writer writes: yes with a proof, no with the evidence, or neither. */
export type CompatibilityVerdict = "compatible" | "incompatible" | "not-decided";

/** What was found of one version of a message type in one format, written by one side and read by the other. */
export interface ContractFinding {
  readonly messageType: string;
  readonly version: number;
  readonly serializer: string;
  /** `"backward"`: written by the baseline. `"forward"`: written by this commit. `"within"`: written and read by this commit. */
  readonly direction: "backward" | "forward" | "within";
  /** The name of the baseline; undefined within this commit. */
  readonly baseline: string | undefined;
  /** The service that writes, and the one that reads. */
  readonly writer: string;
  readonly reader: string;
  readonly verdict: CompatibilityVerdict;
  /** Why the schemas do not prove it; empty: they do. */
  readonly obstacles: readonly Obstacle[];
  /** The values that were tried. */
  readonly trial: Trial;
}

/** The result of a check. */
export interface ContractCheck {
  /** The worst of all findings. */
  readonly verdict: CompatibilityVerdict;
  readonly findings: readonly ContractFinding[];
}

const optionNames: OptionNames<CheckContractOptions> = {
  contract: true,
  pipeline: true,
  baselines: true,
  beacons: true,
  mode: true,
  writesOnlyDeclared: true,
  abortSignal: true,
};

/**
 * Checks whether the readers of this commit read what the baselines wrote and write, and the other way round, and whether this commit reads all
 * versions that it says it reads. Each pair of version and format that can meet gets two independent proofs: by the schemas, and by values. Rejects as the beacon
 * store does; throws `TypeError` for an invalid option.
 */
export async function checkContract(options: CheckContractOptions): Promise<ContractCheck> {
  requireKnownOptions("checkContract", options, optionNames);
  const { pipeline, beacons, abortSignal } = options;
  const share = schemaSharing();
  const contract = share(options.contract);
  const baselines = (options.baselines ?? []).map(({ name, contract }) => ({
    name,
    contract: share(contract),
  }));
  if (beacons !== undefined && pipeline === undefined)
    throw new TypeError("checkContract: beacons are compared with a pipeline: give it, too.");
  const mode = requireOneOf("checkContract: mode", options.mode ?? "full", ["backward", "forward", "full"]);
  const checker = new Checker(pipeline, options.writesOnlyDeclared ?? false);
  const findings: ContractFinding[] = [];
  for (const { name, contract: baseline } of baselines) {
    if (mode !== "forward")
      findings.push(
        ...(await checker.compare({ contract: baseline }, { contract, pipeline }, "backward", name)),
      );
    if (mode !== "backward")
      findings.push(
        ...(await checker.compare({ contract, pipeline }, { contract: baseline }, "forward", name)),
      );
  }
  if (beacons !== undefined && pipeline !== undefined && mode !== "backward") {
    const { counting } = await liveBeacons(beacons, { nowMs: Date.now() }, { abortSignal });
    findings.push(...counting.flatMap((beacon) => liveReaderFindings(beacon, contract, pipeline)));
  }
  findings.push(...(await checker.compareWithin({ contract, pipeline })));
  return { verdict: worstOf(findings.map(({ verdict }) => verdict)), findings };
}

/** The worst of several verdicts. */
export function worstOf(verdicts: readonly CompatibilityVerdict[]): CompatibilityVerdict {
  if (verdicts.includes("incompatible")) return "incompatible";
  return verdicts.includes("not-decided") ? "not-decided" : "compatible";
}

/** One service in a comparison. */
export interface Party {
  readonly contract: Contract;
  readonly pipeline?: Pipeline | undefined;
}

/** Compares the parties of one check. */
export class Checker {
  readonly #workshop: Workshop | undefined;
  readonly #writesOnlyDeclared: boolean;
  readonly #candidates = new Candidates();
  /** Of values that this commit reads. */
  readonly #trials = new Map<string, Trial>();

  constructor(workshop: Workshop | undefined, writesOnlyDeclared: boolean) {
    this.#workshop = workshop;
    this.#writesOnlyDeclared = writesOnlyDeclared;
  }

  /** Every type that both have, in every form that the writer writes, or that may still wait for it in a queue. */
  async compare(
    writer: Party,
    reader: Party,
    direction: ContractFinding["direction"],
    baseline: string,
  ): Promise<readonly ContractFinding[]> {
    const findings: ContractFinding[] = [];
    for (const type of writer.contract.messageTypes) {
      const read = typeNamed(reader.contract, type);
      const place = {
        messageType: type.name,
        direction,
        baseline,
        writer: writer.contract.service,
        reader: reader.contract.service,
      };
      if (read === undefined) {
        const text = `${reader.contract.service} does not know the message type: it dead-letters its messages`;
        const form = type.writes[0] ?? { version: type.version, serializer: "" };
        const obstacles: readonly Obstacle[] = [{ kind: "breaks", path: "", text }];
        findings.push({ ...place, ...form, verdict: "incompatible", obstacles, trial: { tried: 0 } });
        continue;
      }
      const forms = direction === "backward" ? formsThatWait(writer.contract, type) : type.writes;
      for (const form of forms)
        findings.push({
          ...place,
          ...form,
          ...(await this.#prove({ ...writer, type }, { ...reader, type: read }, form)),
        });
    }
    return findings;
  }

  /** Every form that a service says it reads or writes, read by itself: its upcasters and downcasters are tried. */
  async compareWithin(party: Party): Promise<readonly ContractFinding[]> {
    const { contract } = party;
    const findings: ContractFinding[] = [];
    for (const type of contract.messageTypes) {
      const place = {
        messageType: type.name,
        direction: "within" as const,
        baseline: undefined,
        writer: contract.service,
        reader: contract.service,
      };
      const side = { ...party, type };
      for (const form of formsThatWait(contract, type)) {
        // Written as a deployment of that version did, not with today's downcasters; those are tried where they are used.
        const isWritten = type.writes.some(
          (each) => each.version === form.version && each.serializer === form.serializer,
        );
        const writer = isWritten ? side : { contract, type };
        findings.push({ ...place, ...form, ...(await this.#prove(writer, side, form)) });
      }
    }
    return findings;
  }

  async #prove(writer: SideOfTrial, reader: SideOfTrial, form: WrittenForm) {
    const settings = { writesOnlyDeclared: this.#writesOnlyDeclared };
    const obstacles = formObstacles(writer, reader, form, settings);
    const trial = await this.#try(writer, reader, form);
    return decided(obstacles, trial, needsTrial(writer, reader, form));
  }

  /** Sides that are rebuilt from equal descriptions write the same values, so that they are tried once. */
  async #try(writer: SideOfTrial, reader: SideOfTrial, form: WrittenForm): Promise<Trial> {
    const workshop = this.#workshop;
    if (workshop === undefined)
      return { tried: 0, note: "only contracts were given, without a chain to try values with" };
    const options = {
      writesOnlyDeclared: this.#writesOnlyDeclared,
      workshop,
      candidates: this.#candidates,
    };
    if (writer.pipeline !== undefined || reader.pipeline === undefined)
      return await tryForm(writer, reader, form, options);
    const key = JSON.stringify([
      writer.type.name,
      form,
      writer.type.versions.find(({ version }) => version === form.version),
      writer.contract.serializers.find(({ name }) => name === form.serializer),
    ]);
    const known = this.#trials.get(key) ?? (await tryForm(writer, reader, form, options));
    this.#trials.set(key, known);
    return known;
  }
}

/** Converters are code: only values show whether they work. */
function needsTrial(writer: SideOfTrial, reader: SideOfTrial, form: WrittenForm): boolean {
  const upcasts = reader.pipeline !== undefined && form.version !== reader.type.version;
  const downcasts = writer.pipeline !== undefined && form.version !== writer.type.version;
  return upcasts || downcasts;
}

function decided(
  obstacles: readonly Obstacle[],
  trial: Trial,
  needsTrial: boolean,
): Pick<ContractFinding, "verdict" | "obstacles" | "trial"> {
  const isBroken = trial.counterexample !== undefined || obstacles.some(({ kind }) => kind === "breaks");
  if (isBroken) return { verdict: "incompatible", obstacles, trial };
  if (obstacles.length > 0) return { verdict: "not-decided", obstacles, trial };
  if (!needsTrial || trial.tried > 0) return { verdict: "compatible", obstacles, trial };
  const text = `its converters are code, and no value was tried: ${trial.note ?? ""}`;
  return { verdict: "not-decided", obstacles: [{ kind: "not-decided", path: "", text }], trial };
}

/** What a service writes, and every version in every format that it reads, because messages of them may wait; the oldest first. */
function formsThatWait(contract: Contract, type: ContractType): readonly WrittenForm[] {
  const forms = [...type.writes];
  for (const { version, schemas, body } of type.versions)
    for (const { name, needsSchema } of contract.serializers) {
      const isOfAnyFormat = body !== undefined && Object.keys(schemas).length === 0 && needsSchema !== true;
      if (isOfAnyFormat || Object.hasOwn(schemas, name)) forms.push({ version, serializer: name });
    }
  return sortedForms(forms).toSorted((a, b) => a.version - b.version);
}

function typeNamed({ messageTypes }: Contract, { name }: ContractType): ContractType | undefined {
  return messageTypes.find((type) => type.name === name || type.aliases.includes(name));
}
