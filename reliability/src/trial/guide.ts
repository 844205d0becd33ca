import { Deployments } from "./deployments.js";
import { announcedInstances, repairOrders, verdicts, withdrawBeacons } from "./tools.js";
import {
  drained,
  expectNoDeadLetters,
  expectRefusal,
  placeOnceAllowed,
  play,
  type World,
  waitFor,
} from "./world.js";

/** So few that no circuit opens: the consumers of step 6 dead-letter all of them. */
const forgottenOrders = 9;

/** Plays every deployment of the guide, in its order. Of each deployment an old instance runs on beside the new ones, until a guard objects to it. */
export async function playGuide(world: World): Promise<void> {
  const { events, orders, rate } = world;
  const deployments = new Deployments(orders, world.random);

  await deployments.deploy("0-sdk", 3);
  await play(world, { name: "0 the SDK alone", producer: "0-sdk", during: () => deployments.killOne() });

  // Until step 5 no instance that announced itself is killed: for ten minutes its beacon would stand for one that announces nothing.
  await deployments.deploy("1-consumer", 2);
  await events.deployWaybill();
  await play(world, { name: "1 a waybill consumer", producer: "0-sdk", during: () => events.killConsumer() });

  await events.deployWaybill();
  await play(world, {
    name: "2 a waybill producer",
    producer: "2-producer",
    during: () => restartBroker(world, deployments),
  });

  await deployments.deploy("3-message-type", 2);
  await events.deployWaybill();
  await play(world, {
    name: "3 the message has a type",
    producer: "3-message-type",
    during: () => events.killProducer(),
  });

  await deployments.deploy("4-read-both", 3);
  await play(world, {
    name: "4 consumers read both",
    producer: "3-message-type",
    during: () => events.killConsumer(),
  });
  await stopWhatTheGuardSees(world, deployments);

  await play(world, {
    name: "5 a quarter is written as Avro",
    producer: "5-write-avro",
    percent: 25,
    during: async () => {
      await deployments.killOne();
      await orders.placeAndKill({ step: "5-write-avro", count: rate * 4, percent: 25 });
    },
  });
  await rollBack(world, deployments);
  for (const percent of [50, 100])
    await play(world, {
      name: `5 ${percent} % is written as Avro`,
      producer: "5-write-avro",
      percent,
      during: () => (percent === 50 ? deployments.killOne() : restartBroker(world, deployments)),
    });

  await contract(world, deployments);
  await bringBackForgottenProducer(world, deployments);
  await deployments.stop();
}

/**
 * Kills the broker and starts it again, once all consumers have announced themselves: one that cannot announce itself ends, and a busy machine
 * takes long to start it.
 */
async function restartBroker({ server, events }: World, deployments: Deployments): Promise<void> {
  await waitFor("all consumers to announce themselves", async () => {
    const instances = await announcedInstances(server.connectionString);
    return deployments.areAnnounced(instances) && events.areAnnounced(instances);
  });
  await server.restart();
}

/** One instance of each earlier deployment still runs: the guard objects to each, and to the SDK's by the count. */
async function stopWhatTheGuardSees(world: World, deployments: Deployments): Promise<void> {
  const objections = [
    ["3-message-type", /"warehouse" \([^)]*\) does not read application\/avro/],
    ["1-consumer", /"warehouse" \([^)]*\) does not know the message type/],
    [
      "0-sdk",
      /^it is not known what 1 of the \d+ instances of "warehouse" can read: only \d+ announced themselves\.?$/,
    ],
  ] as const;
  for (const [step, objection] of objections) {
    await expectRefusal(world, `while an instance of ${step} was running`, objection);
    await deployments.stopForgotten([step]);
  }
}

/** A deployment is rolled back while Avro waits: the old program leaves it to the new one, and its beacon stops the plan at the producer's next start. */
async function rollBack(world: World, deployments: Deployments): Promise<void> {
  await deployments.killAll();
  await placeOnceAllowed(world, { step: "5-write-avro", count: 100, percent: 25 });
  await deployments.deploy("3-message-type", 2);
  await deployments.deploy("4-read-both", 2);
  await drained(world, "orders", "order-");
  await expectNoDeadLetters(world);
  await expectRefusal(
    world,
    "while consumers were rolled back",
    /"warehouse" \([^)]*\) does not read application\/avro/,
  );
  await play(world, { name: "5 the plan is rolled back", producer: "5-write-avro", percent: 0 });
  await deployments.stopForgotten();
}

/** The old format leaves when the verdict says so. */
async function contract(world: World, deployments: Deployments): Promise<void> {
  const { ledger, server } = world;
  const statedAt = new Date();
  await placeOnceAllowed(world, { step: "0-sdk", count: 10 });
  await drained(world, "orders", "order-");
  for (const { answer } of await verdicts(server.connectionString, statedAt))
    if (answer === "yes")
      ledger.violation(
        "the verdict said yes although a producer wrote JSON after the instant at which all had stopped",
      );

  const stoppedAt = new Date();
  // Instances that stop write down what they have read until then.
  await deployments.deploy("4-read-both", 2);
  await deployments.stopForgotten();
  for (const { answer, reasons } of await verdicts(server.connectionString, stoppedAt))
    if (answer !== "yes")
      ledger.violation(`the verdict says ${answer}: ${reasons.map(({ text }) => text).join(" ")}`);

  await deployments.deploy("6-contract", 2);
  await play(world, {
    name: "6 JSON and version 1 leave",
    producer: "6-contract",
    during: () => deployments.killOne(),
  });
  await deployments.stopForgotten();
}

/**
 * A producer that was forgotten writes version 1 again. Nobody reads that any more: its orders are dead-lettered for that reason, and none is read
 * as version 2. A repair writes some of them again as Avro, and after a rollback sends the others as they are.
 */
async function bringBackForgottenProducer(world: World, deployments: Deployments): Promise<void> {
  const { ledger, queues, server, rate } = world;
  // Otherwise version 1 would be left to them until their beacons expire.
  await withdrawBeacons(server.connectionString, (instance) => deployments.wasKilled(instance));
  await Promise.all([
    placeOnceAllowed(world, { step: "0-sdk", count: forgottenOrders }),
    placeOnceAllowed(world, { step: "6-contract", count: rate * 2 }),
  ]);
  const orders = () => ledger.pending("order-");
  await waitFor("the orders of version 1 to be dead-lettered", async () => {
    const { length } = await queues.deadLetters("orders");
    return orders().length <= forgottenOrders && length >= orders().length;
  });
  for (const { messageId, deadLetterReason } of await queues.deadLetters("orders"))
    if (deadLetterReason !== "UnknownMessageVersion")
      ledger.violation(`${messageId} of the forgotten producer was dead-lettered as ${deadLetterReason}`);

  const half = Math.floor(forgottenOrders / 2);
  await repaired(world, { body: "transcode", limit: half }, half);
  await waitFor("the orders that were written again", async () => orders().length <= forgottenOrders - half);
  // The instance of step 6 that still runs leaves version 1 to it as soon as it has announced itself.
  await deployments.deploy("4-read-both", 1);
  await waitFor("the consumers that read both to announce themselves", async () =>
    deployments.areAnnounced(await announcedInstances(server.connectionString)),
  );
  await repaired(world, {}, forgottenOrders - half);
  await placeOnceAllowed(world, { step: "0-sdk", count: forgottenOrders });
  await drained(world, "orders", "order-");
  await expectNoDeadLetters(world);
}

async function repaired(
  { ledger, server }: World,
  options: Parameters<typeof repairOrders>[1],
  expected: number,
): Promise<void> {
  const { rehearsed, resubmitted } = await repairOrders(server.connectionString, options);
  if (rehearsed !== expected || resubmitted !== expected)
    ledger.violation(
      `a repair was to send ${expected} orders, would send ${rehearsed} and sent ${resubmitted}`,
    );
}
