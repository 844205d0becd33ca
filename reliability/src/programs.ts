import type { Programs } from "waybill-harness/programs.js";

/** Programs that try to make the broker, its server and its clients lose a message, run out of memory or stop. */
export const programs = {
  "fuzz-serializers": {
    shows:
      "Random and damaged bodies end quickly in a value or a refusal, in every serializer and in the chain of them.",
    takes: "minutes",
    options: "[--runs 200000] [--seed n]",
    quick: ["--runs", "20000", "--seed", "1"],
    run: () => import("./fuzz-serializers/main.js"),
  },
  "fuzz-amqp": {
    shows: "Mutated AMQP traffic makes no endpoint throw, hang, grow or write something malformed.",
    takes: "minutes",
    options: "[--runs 100000] [--seed n]",
    quick: ["--runs", "20000", "--seed", "1"],
    run: () => import("./fuzz-amqp/main.js"),
  },
  "fuzz-server": {
    shows: "Mutated AMQP clients and clients with odd values disturb no healthy client of the server.",
    takes: "minutes",
    options: "[--runs 100000] [--seed n]",
    quick: ["--runs", "20000", "--seed", "1"],
    run: () => import("./fuzz-server/main.js"),
  },
  "fuzz-http": {
    shows: "Mutated HTTP requests are never answered with 500 or with the server's insides.",
    takes: "minutes",
    options: "[--runs 100000] [--seed n]",
    quick: ["--runs", "10000", "--seed", "1"],
    run: () => import("./fuzz-http/main.js"),
  },
  "full-samples": {
    shows:
      "What `test` shows with samples holds for every combination: chains, doors, changed labels, messages over AMQP and HTTP.",
    takes: "2 min",
    run: () => import("./full-samples/main.js"),
  },
  "body-growth": {
    shows:
      "The time to read or write a body, to read what travels beside it, or to compile a schema, grows with its bytes and no faster, whatever grows in it; a mebibyte takes less than 100 ms.",
    takes: "minutes",
    options: "[--kibibytes 128] [--only text]",
    quick: ["--kibibytes", "16"],
    run: () => import("./body-growth/main.js"),
  },
  "dense-bodies": {
    shows:
      "Small bodies that become large values are read or refused within a heap of 512 MB, in every format.",
    takes: "minutes",
    options: "[largest]",
    quick: ["largest"],
    run: () => import("./dense-bodies/main.js"),
  },
  attack: {
    shows:
      "Floods of every kind neither fill the server's memory nor block its event loop beside an official client.",
    takes: "5 min",
    options: "[--seconds 300] [--slack 1] [--only text] [--list]",
    quick: ["--seconds", "30", "--slack", "5"],
    run: () => import("./attack/main.js"),
  },
  mutations: {
    shows: "Tests notice changes of the code that receives messages, of message types and of migrations.",
    takes: "15 to 30 min",
    options: "[--mutants 300] [--rooms packages/core/src/receive,…] [--seed n]",
    run: () => import("./mutations/main.js"),
  },
  trial: {
    shows:
      "The guide from the official SDK to Avro, played on a live system with kills and old instances, loses, dead-letters and alters no healthy message.",
    takes: "12 min",
    options: "[--seconds 600] [--rate 50] [--seed n]",
    quick: ["--seconds", "60", "--seed", "1"],
    run: () => import("./trial/main.js"),
  },
  chaos: {
    shows:
      "No message is lost, and no completed one reported as lost, when the server of official clients is killed and links are replaced.",
    takes: "minutes",
    options: "[--messages 100000] [--kills 5]",
    quick: ["--messages", "6000", "--kills", "1"],
    run: () => import("./chaos/main.js"),
  },
  crash: {
    shows: "Every acknowledged message is there after kill -9, a full disk and damage to the store.",
    takes: "minutes",
    options: "[--kills 60] [--damages 200] [--seed n]",
    quick: ["--kills", "3", "--damages", "30", "--seed", "7"],
    run: () => import("./crash/main.js"),
  },
  "crash-repair": {
    shows: "A repair that is killed delivers each message, and none twice unless it says so.",
    takes: "minutes",
    options: "[--messages 10000] [--kills 20] [--seed n]",
    quick: ["--messages", "200", "--kills", "2", "--seed", "7"],
    run: () => import("./crash-repair/main.js"),
  },
  "crash-workers": {
    shows:
      "Workers that share a census and a repair are killed with the process that asks: each message is counted once, each repair done once.",
    takes: "minutes",
    options: "[--queues 60] [--messages 200] [--workers 3] [--kills 20] [--seed n]",
    quick: ["--queues", "10", "--messages", "50", "--workers", "2", "--kills", "2", "--seed", "7"],
    run: () => import("./crash-workers/main.js"),
  },
  "session-restarts": {
    shows: "The results of a workflow over sessions are exact when its process is killed 200 times.",
    takes: "minutes",
    options: "[--kills 200] [--seed n]",
    quick: ["--kills", "3", "--seed", "7"],
    run: () => import("./session-restarts/main.js"),
  },
  "polite-restarts": {
    shows:
      "Sessions and senders go on when their broker is shut down and restarted 200 times; measures the recovery.",
    takes: "minutes",
    options: "[--restarts 200] [--senders 50] [--sessions 20] [--stall 5000] [--seed n]",
    quick: ["--restarts", "10", "--seed", "1"],
    run: () => import("./polite-restarts/main.js"),
  },
  "stop-under-load": {
    shows: "A processor that is stopped with 1,000 messages in flight loses none and leaves none locked.",
    takes: "minutes",
    options: "[--times 200] [--inflight 1000] [--deadline 1000] [--slack 100]",
    quick: ["--times", "1", "--inflight", "300", "--deadline", "2000", "--slack", "20000"],
    run: () => import("./stop-under-load/main.js"),
  },
  "stall-matrix": {
    shows:
      "Each kind of receiver recovers from each fault that stalls a link; --write puts the table into docs/stalls.md.",
    takes: "minutes",
    options: "[--stall 30000] [--answer 10000] [--lock 10000] [--give-up 90000] [--together 10] [--write]",
    run: () => import("./stall-matrix/main.js"),
  },
  soak: {
    shows: "The broker engine and a simple model of it agree over two million random commands.",
    takes: "minutes",
    options: "[--commands 2000000] [--seed n]",
    quick: ["--commands", "100000"],
    run: () => import("./soak/main.js"),
  },
  "soak-server": {
    shows:
      "Clients that disconnect and a server that is killed lose nothing, and the server's memory does not grow.",
    takes: "10 min",
    options: "[--minutes 10] [--clients 20] [--kills 5] [--seed n]",
    quick: ["--minutes", "0.2", "--clients", "4", "--kills", "1", "--seed", "7"],
    run: () => import("./soak-server/main.js"),
  },
  "soak-port": {
    shows:
      "AMQP, WebSockets, HTTP and management on the one port of `waybill broker` lose nothing, with kills.",
    takes: "10 min",
    options: "[--minutes 10] [--kills 5] [--clients 3]",
    quick: ["--minutes", "0.5", "--kills", "1"],
    run: () => import("./soak-port/main.js"),
  },
  "clock-steps": {
    shows:
      "The wall clock stepped by an hour, back and forward, expires and redelivers nothing. Needs Debian's faketime.",
    takes: "a minute",
    quick: [],
    run: () => import("./clock-steps/main.js"),
  },
  "one-owner": {
    shows: "One of two process namespaces has a store; a full or read-only disk is refused. Needs `unshare`.",
    takes: "seconds",
    quick: [],
    run: () => import("./one-owner/main.js"),
  },
  "command-walk": {
    shows:
      "Every command with every option, in good and bad use, on pipes and on a terminal, writes what its transcript says. Needs `script` of util-linux.",
    takes: "a minute",
    options: "[--update] [--only text]",
    quick: [],
    run: () => import("./command-walk/main.js"),
  },
  "far-namespace": {
    shows: "A namespace of 2,000 topics behind a round trip of 80 ms is listed within 20 seconds.",
    takes: "a minute",
    options: "[--topics 2000] [--roundtrip 80] [--seconds 20]",
    quick: ["--topics", "200", "--seconds", "60"],
    run: () => import("./far-namespace/main.js"),
  },
  explorer: {
    shows:
      "The page of `waybill explore` keeps its promises in Debian's chromium; --pictures takes those of the docs.",
    takes: "minutes",
    options: "[--no-load] [--only text] [--pictures]",
    quick: ["--no-load"],
    run: () => import("./explorer/main.js"),
  },
} satisfies Programs;
