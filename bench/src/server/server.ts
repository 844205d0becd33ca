import type { Suite } from "../harness/probe.js";
import { official } from "./official.js";
import { findRabbitMq } from "./rabbitmq.js";
import { raw } from "./raw.js";
import { withRhea } from "./rhea.js";
import { start } from "./start.js";

/**
 * The broker server beside RabbitMQ, where that is installed, and beside a minimal server made of rhea: each in processes of its own,
 * driven in turn by the same clients.
 */
export const serverSuite: Suite = {
  raw: () => raw(findRabbitMq()),
  rhea: () => withRhea(findRabbitMq()),
  official: () => official,
  start: () => start(findRabbitMq()),
};
