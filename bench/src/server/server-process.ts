import { required } from "@waybill/foundation";

// A server of the bench in a process of its own: reports its port, and what it has used of the machine whenever it is asked.

/** How each server is started; imported when needed, so that the start of one is not that of all. */
const servers: Readonly<Record<string, () => Promise<number>>> = {
  waybill: async () => (await import("./waybill-server.js")).serveWaybill(),
  "waybill-durable": async () => (await import("./waybill-server.js")).serveWaybill(process.argv[3]),
  rhea: async () => (await import("./rhea-server.js")).serveWithRhea(),
  "rhea-durable": async () => (await import("./rhea-server.js")).serveWithRhea(process.argv[3]),
  counting: async () => (await import("./counting-server.js")).serveCounting(),
  "counting-durable": async () => (await import("./counting-server.js")).serveCounting(process.argv[3]),
};

process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ cpuUs: user + system, rssMb: process.memoryUsage.rss() / 2 ** 20 });
});
process.on("disconnect", () => process.exit());
process.send?.({ port: await required(servers[required(process.argv[2])])() });
