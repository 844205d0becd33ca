import type { Result } from "../compare.js";
import { chooseParts } from "../parts.js";
import { officialResults } from "./official.js";
import { findRabbitMq } from "./rabbitmq.js";
import { rawResults } from "./raw.js";
import { rheaResults } from "./rhea.js";
import { startResults } from "./start.js";

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
  const parts = {
    raw: () => rawResults(rabbitMq),
    rhea: () => rheaResults(rabbitMq),
    official: officialResults,
    start: () => startResults(rabbitMq),
  };
  const results: Result[] = [];
  for (const measure of chooseParts("server", parts, part)) results.push(...(await measure()));
  return results;
}
