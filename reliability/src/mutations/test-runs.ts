import { join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createVitest, type TestSpecification, type Vitest } from "vitest/node";
import { type Mutation, withSwitches } from "./mutate.js";

/** A source file with those of its mutations that are tried, by their numbers. */
export interface MutatedFile {
  readonly text: string;
  readonly mutations: ReadonlyMap<number, Mutation>;
}

/** How long a test may compute, and wait, in milliseconds. Time for which other processes keep it from running does not count. */
export interface Limits {
  readonly busyMs: number;
  readonly idleMs: number;
}

declare module "vitest" {
  interface ProvidedContext {
    mutation: number | undefined;
    limits: Limits;
    seed: number;
  }
  interface TaskMeta {
    /** The numbers of the mutations that the tests of a file reach. */
    reached?: readonly number[];
  }
}

/** How the tests of a file ended. */
export interface TestRun {
  /** Why they failed; empty if they passed. */
  readonly failed: string;
  /** A test did not end, so its process was ended. */
  readonly isEndless: boolean;
  /** The numbers of the mutations that they reached, if none was switched on. */
  readonly reached: readonly number[];
  readonly tookMs: number;
}

const limits: Limits = { busyMs: 20_000, idleMs: 15_000 };
/** Without a mutation tests stay far below the limits, so that exceeding them is due to the mutation. */
const limitsWithout: Limits = { busyMs: limits.busyMs / 3, idleMs: limits.idleMs / 3 };

/** Runs test files, each in a new process, with at most one of the mutations switched on. Compiles each source once. */
export class TestRuns {
  readonly #vitest: Vitest;

  private constructor(vitest: Vitest) {
    this.#vitest = vitest;
  }

  /** `files` are by their paths in the repository. */
  static async open(
    repository: string,
    files: ReadonlyMap<string, MutatedFile>,
    seed: number,
  ): Promise<TestRuns> {
    const vitest = await createVitest(
      "test",
      {
        root: repository,
        config: join(repository, "vitest.mutations.config.ts"),
        setupFiles: fileURLToPath(new URL("./setup-tests.js", import.meta.url)),
        watch: false,
        bail: 1,
        silent: true,
        update: false,
        pool: "forks",
        // A loop may fill the memory.
        execArgv: ["--max-old-space-size=1024"],
        // Limits of our own are in force instead.
        testTimeout: 0,
        reporters: [{}],
      },
      {
        plugins: [
          {
            name: "switch-mutations",
            enforce: "pre",
            transform(text, id) {
              const file = files.get(relative(repository, id));
              if (file === undefined) return undefined;
              if (file.text !== text) throw new Error(`${id} has changed.`);
              return { code: withSwitches(text, file.mutations), map: null };
            },
          },
        ],
      },
    );
    vitest.provide("seed", seed);
    return new TestRuns(vitest);
  }

  /** The test files below a folder. */
  async filesIn(folder: string): Promise<TestSpecification[]> {
    return await this.#vitest.globTestSpecifications([folder]);
  }

  /** Runs the tests of a file until one fails. */
  async run(file: TestSpecification, mutation?: number): Promise<TestRun> {
    this.#vitest.provide("mutation", mutation);
    this.#vitest.provide("limits", mutation === undefined ? limitsWithout : limits);
    const startedAtMs = performance.now();
    const { testModules, unhandledErrors } = await this.#vitest.runTestSpecifications([file]);
    const tookMs = performance.now() - startedAtMs;
    // The results of earlier runs are among them.
    const module = testModules.find(({ moduleId }) => moduleId === file.moduleId);
    const names = [...(module?.children.allTests("failed") ?? [])].map(({ fullName }) => fullName);
    const errors = [...unhandledErrors, ...(module?.errors() ?? [])].map((error) => (error as Error).message);
    const hasFailed = module?.ok() !== true || unhandledErrors.length > 0;
    return {
      failed: hasFailed ? [...names, ...errors].join("; ") || "no test ran" : "",
      isEndless: errors.some((message) => message.includes("Worker forks emitted error")),
      reached: module?.meta().reached ?? [],
      tookMs,
    };
  }

  async close(): Promise<void> {
    await this.#vitest.close();
  }
}
