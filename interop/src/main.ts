import { type Programs, runProgram } from "waybill-harness/programs.js";

/** Programs that exchange messages and values with other makers' software. */
const programs: Programs = {
  formats: {
    shows:
      "Generated values come out the same, both ways, of Debian's libraries for Python and Confluent's; --record writes docs/interop.md.",
    takes: "minutes",
    options: "[--values 1000] [--seed n] [--record]",
    quick: ["--values", "50"],
    run: () => import("./formats/main.js"),
  },
  python: {
    shows: "Microsoft's SDK for Python passes against the broker server. Needs Debian's python3-azure.",
    takes: "a minute",
    run: () => import("./python/main.js"),
  },
  proton: {
    shows: "Qpid Proton passes against a server made of @waybill/amqp. Needs Debian's python3-qpid-proton.",
    takes: "seconds",
    run: () => import("./proton/main.js"),
  },
  "proton-service-bus": {
    shows: "Qpid Proton passes against the broker server. Needs Debian's python3-qpid-proton.",
    takes: "seconds",
    run: () => import("./proton-service-bus/main.js"),
  },
};

await runProgram("interop", programs);
