import type { Pipeline } from "@waybill/core";
import type { CapabilityBeacon } from "../../capability/beacon-store.js";
import { type ReadableVersion, schemaDigests } from "../../capability/reader-capability.js";
import type { Contract, WrittenForm } from "../model/contract.js";
import { breaks, notDecided, type Obstacle } from "../structure/obstacle.js";
import type { ContractFinding } from "./check-contract.js";

/** What a live reader says of everything that this commit writes and that it knows. */
export function liveReaderFindings(
  beacon: CapabilityBeacon,
  contract: Contract,
  pipeline: Pipeline,
): readonly ContractFinding[] {
  return contract.messageTypes.flatMap((type) => {
    const read = beacon.capability.messageTypes.find(
      ({ name }) => name === type.name || type.aliases.includes(name),
    );
    if (read === undefined) return [];
    return type.writes.map((form) => {
      const obstacles = obstaclesOf(beacon, read.versions, type.name, form, contract, pipeline);
      const isBroken = obstacles.some(({ kind }) => kind === "breaks");
      return {
        messageType: type.name,
        ...form,
        direction: "forward",
        baseline: `live: ${beacon.instance}`,
        writer: contract.service,
        reader: beacon.reader,
        verdict: isBroken ? "incompatible" : obstacles.length > 0 ? "not-decided" : "compatible",
        obstacles,
        trial: { tried: 0, note: "a live reader announces only what it reads" },
      } satisfies ContractFinding;
    });
  });
}

function obstaclesOf(
  { capability, reader }: CapabilityBeacon,
  versions: readonly ReadableVersion[],
  messageType: string,
  { version, serializer }: WrittenForm,
  contract: Contract,
  pipeline: Pipeline,
): readonly Obstacle[] {
  const mediaType = contract.serializers.find(({ name }) => name === serializer)?.mediaTypes[0] ?? "";
  const isRead = capability.mediaTypes.includes(mediaType);
  const found: Obstacle[] = isRead ? [] : [breaks("", `no serializer of ${reader} reads ${mediaType}`)];
  const theirs = versions.find((each) => each.version === version);
  if (theirs === undefined)
    return [
      ...found,
      breaks(
        "",
        `${reader} does not know version ${version}: it reads ${versions.map((each) => each.version).join(", ")}`,
      ),
    ];
  const type = pipeline.messageTypes.find(({ name }) => name === messageType);
  const own = type?.versions.find((each) => each.version === version);
  const digests = own === undefined ? {} : schemaDigests(own);
  return digests[serializer] === theirs.schemas[serializer]
    ? found
    : [
        ...found,
        notDecided(
          "",
          `${reader} has another ${serializer} schema of version ${version}: its contract would decide`,
        ),
      ];
}
