import { type Programs, runProgram } from "waybill-harness/programs.js";

/** Steps of a release, and checks of the packages as their users get them. */
const programs: Programs = {
  version: {
    shows: "Dates the unreleased entries of CHANGELOG.md and sets the version in every manifest.",
    takes: "seconds",
    options: "1.2.3",
    run: () => import("./version/main.js"),
  },
  publish: {
    shows:
      "Publishes every package; --dry-run does it to a registry on this machine, and tries the packages from there.",
    takes: "minutes",
    options: "[--dry-run]",
    quick: ["--dry-run"],
    run: () => import("./publish/main.js"),
  },
  packages: {
    shows: "Each package has no packaging errors as it would be published.",
    takes: "a minute",
    run: () => import("./packages/main.js"),
  },
  "packed-command": {
    shows: "The packed `waybill` command works in an empty folder, and starts a broker within a second.",
    takes: "a minute",
    options: "[--slack 1]",
    quick: ["--slack", "5"],
    run: () => import("./packed-command/main.js"),
  },
  image: {
    shows: "The steps of docker/Dockerfile make a container's command that is healthy, without Docker.",
    takes: "a minute",
    run: () => import("./image/main.js"),
  },
  "packed-commonjs": {
    shows: "The packed packages work under require, TypeScript of CommonJS, and Jest.",
    takes: "a minute",
    run: () => import("./packed-commonjs/main.js"),
  },
  "packed-types": {
    shows:
      "A user's program compiles against the packed declarations under TypeScript 5.7, 5.9 and 7, also beside Nest 11 and 12.",
    takes: "minutes",
    options: "[5.7|5.9|7 …]",
    run: () => import("./packed-types/main.js"),
  },
  "node-versions": {
    shows: "The tests pass under Node 24 and 26; --write puts the outcome into docs/compatibility.md.",
    takes: "minutes",
    options: "[--node 24 --node 26] [--package core …] [--minutes 8] [--write]",
    run: () => import("./node-versions/main.js"),
  },
  "sdk-copies": {
    shows: "The SDK is patched where npm nests copies of its libraries, and in a bundle.",
    takes: "a minute",
    options: "[--versions 7.9.2,7.9.5,7.10.0-beta.2]",
    run: () => import("./sdk-copies/main.js"),
  },
};

await runProgram("release", programs);
