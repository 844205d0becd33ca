/** One step: which programs run, and what must have read its orders. */
export interface Step {
  readonly name: string;
  /** The producer's program, with the percentage to write in the new format. */
  readonly producer: string;
  readonly percent?: number | undefined;
  /** The consumers' programs, side by side. */
  readonly consumers: readonly string[];
  /** How many more orders are placed after the consumers have stopped: the next step's consumers read them. */
  readonly left: number;
  /** The producer that places those. Default: that of the step. */
  readonly leftBy?: string;
  /** Every way in which orders must have been read, and no other. */
  readonly readAs: readonly string[];
}

const sdkProducer = "0-sdk/producer";
const sdkConsumer = "0-sdk/consumer";

/** The steps from the SDK only to Avro version 2. Each step is a deployment, and reads the orders that the previous one left. */
export const steps: readonly Step[] = [
  {
    name: "0 The SDK alone",
    producer: sdkProducer,
    consumers: [sdkConsumer],
    left: 5,
    readAs: ["SDK"],
  },
  {
    name: "1 A waybill consumer beside the SDK's",
    producer: sdkProducer,
    consumers: [sdkConsumer, "1-consumer/consumer"],
    left: 5,
    readAs: ["SDK", "waybill, sdk"],
  },
  {
    name: "2 A waybill producer; consumers as before",
    producer: "2-producer/producer",
    consumers: [sdkConsumer, "1-consumer/consumer"],
    left: 5,
    readAs: ["SDK", "waybill, sdk"],
  },
  {
    name: "3 The message gets a type: order-placed version 1",
    producer: "3-message-type/producer",
    consumers: ["3-message-type/consumer"],
    left: 5,
    readAs: ["waybill, json v1"],
  },
  {
    name: "4 Consumers read both: version 2 in Avro, too",
    producer: "3-message-type/producer",
    consumers: ["4-read-both/consumer"],
    left: 5,
    readAs: ["waybill, json v1"],
  },
  {
    name: "5 Half is written new",
    producer: "5-write-avro/producer",
    percent: 50,
    consumers: ["4-read-both/consumer"],
    left: 5,
    // The plan's own producer refuses to start while no consumer runs; an instance of the one before still does.
    leftBy: "3-message-type/producer",
    readAs: ["waybill, json v1", "waybill, avro v2"],
  },
  {
    name: "5 Everything is written new, and the old is used up",
    producer: "5-write-avro/producer",
    percent: 100,
    consumers: ["4-read-both/consumer"],
    left: 0,
    readAs: ["waybill, json v1", "waybill, avro v2"],
  },
  {
    name: "6 JSON and version 1 leave",
    producer: "6-contract/producer",
    consumers: ["6-contract/consumer"],
    left: 0,
    readAs: ["waybill, avro v2"],
  },
];
