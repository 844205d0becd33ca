import type { Result } from "../compare.js";
import { officialResults } from "./official.js";
import { findRabbitMq, type RabbitMq } from "./rabbitmq.js";
import { rawResults } from "./raw.js";
import { rheaResults } from "./rhea.js";
import { startResults } from "./start.js";

const parts: Readonly<Record<string, (rabbitMq: RabbitMq | undefined) => Promise<Result[]>>> = {
  raw: rawResults,
  rhea: rheaResults,
  official: officialResults,
  start: startResults,
};

/**
 * The broker server beside RabbitMQ, where that is installed, and beside a minimal server made of rhea: each in processes of its own,
 * driven in turn by the same clients. One part of it, or all. Throws `TypeError` for a part that there is not.
 */
export async function serverResults(part?: string): Promise<Result[]> {
  const rabbitMq = findRabbitMq();
  if (rabbitMq === undefined) {
    console.error(
      'server: no RabbitMQ here, so its lines are missing (Debian: "apt-get install rabbitmq-server")',
    );
  } else console.error(`server: RabbitMQ ${rabbitMq.version}`);
  const names = part === undefined ? Object.keys(parts) : [part];
  const results: Result[] = [];
  for (const name of names) {
    const measure = parts[name];
    if (measure === undefined)
      throw new TypeError(
        `The suite "server" has no part "${name}". Parts: ${Object.keys(parts).join(", ")}.`,
      );
    console.error(`server: ${name}`);
    results.push(...(await measure(rabbitMq)));
  }
  return results;
}
