import { relative } from "node:path";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest; those that mostly wait alternate with those that compute. */
export const slowFiles: readonly string[] = [
  "examples/main-job/src/main.test.ts",
  "reliability/src/killed-servers.test.ts",
  "packages/serializer-dotnet/src/conformance.test.ts",
  "packages/transport-azure/src/conformance.test.ts",
  "test/cross-format/cross-format.test.ts",
  "packages/cli/src/broker-command.test.ts",
  "packages/envelopes/src/encrypted-labels.test.ts",
  "packages/transport-azure/src/recovery.test.ts",
  "test/added-names.test.ts",
  "reliability/src/stall-matrix/stall-matrix.test.ts",
  "examples/migration/src/main.test.ts",
  "test/cross-format/doors.test.ts",
  "examples/migration/src/contract.test.ts",
  "packages/broker/src/model.test.ts",
  "packages/cli/src/command-line.test.ts",
  "packages/cli/src/everyday-commands.test.ts",
  "packages/broker-server/src/clients.test.ts",
  "packages/cli/src/replacing-the-emulator.test.ts",
  "test/schema-registry/evidence.test.ts",
  "packages/transport-azure/src/azure-transport.test.ts",
  "release/src/bundle-size.test.ts",
  "packages/cli/src/explore.test.ts",
  "packages/serializer-avro/src/conformance.test.ts",
  "packages/core/src/contracts/loading-in-a-process.test.ts",
  "examples/coming-from-azure/src/announced.test.ts",
  "test/amqp-values/amqp-values.test.ts",
  "packages/cli/src/shared-work.test.ts",
  "reliability/src/killed-processes.test.ts",
  "packages/serializer-cbor/src/conformance.test.ts",
  "packages/cli/src/broker-commands.test.ts",
  "packages/migration/src/contract/corpus.test.ts",
  "packages/transport-azure/src/receiving/replaced-links.test.ts",
  "packages/migration/src/work/shared-work.test.ts",
  "test/administration/elements-table.test.ts",
  "packages/transport-azure/src/watchdog/link-watchdog.test.ts",
];

/**
 * Begins with the few files that need separate processes, continues with those that take longest, and ends with the many short ones, so
 * that no core is idle at the end. Vitest itself knows the durations only of files that were run before.
 */
export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    return sorted
      .map((file) => ({ file, place: this.#placeOf(file) }))
      .sort((a, b) => a.place - b.place)
      .map(({ file }) => file);
  }

  #placeOf({ project, moduleId }: TestSpecification): number {
    if (project.name !== "all") return -1;
    const place = slowFiles.indexOf(relative(this.ctx.config.root, moduleId));
    return place < 0 ? slowFiles.length : place;
  }
}
