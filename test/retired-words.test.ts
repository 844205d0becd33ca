import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { root } from "./workspace-packages.js";

/** Words that were replaced by the field's terms, each with its replacement. See docs/glossary.md. */
const retired: Readonly<Record<string, string>> = {
  "laws?": "conformance suite",
  "seats?": "environment",
  "trials?": "harness",
  "worlds?": "fixture",
  "takeOff|take off": "begin",
  "hangUp|hang up|hung up": "release a slot",
  "pickUp|pick up": "acquire a slot",
  "under way|underWay": "pending, in progress",
  anew: "again",
  "for ever": "forever",
  "by way of": "via",
  "for want of": "for lack of",
  "is no text": "must be a string",
  "is no whole number|whole numbers?": "must be an integer",
  "(?:what|whatever) became of|becomes? of": "what happened to",
  "(?:is|are|was|were|be|been|being) told(?! apart)": "notify, emit, report, call",
  "nobody can read": "cannot be deserialized",
  "judges?|judged": "check",
  "leaps?|casters?": "converter",
  "bring up|brought up|brings up|bringUp": "upcast",
  "seals?|unseals?": "body transforms",
};

const pattern = new RegExp(`\\b(?:${Object.keys(retired).join("|")})\\b`, "gi");
/** `payloadWorld`, `LocalSeat` and `tellDetached` in identifiers. */
const inIdentifiers = /[a-z](?:World|Seat|Trial|Law|UnderWay|Judge|Told)s?\b|#?\btell[A-Z]\w*|#tell\b/g;
/** The CHANGELOG is history; this file and the glossary list the words. */
const exempt = /CHANGELOG\.md|retired-words\.test\.ts|glossary\.md|fixtures\/|corpus|-lock\.yaml/;

const files = execFileSync("git", ["ls-files", "*.ts", "*.md"], { cwd: root, encoding: "utf8" })
  .split("\n")
  .filter((path) => path !== "" && !exempt.test(path));

describe("retired words", () => {
  it("do not occur in docs, texts, comments and identifiers", () => {
    const found = files.flatMap((path) =>
      readFileSync(root + path, "utf8")
        .split("\n")
        .flatMap((line, index) => {
          const words = [...(line.match(pattern) ?? []), ...(line.match(inIdentifiers) ?? [])];
          return words
            .filter((word) => !/hello,? world/i.test(line) || !/^world$/i.test(word))
            .map((word) => `${path}:${index + 1} ${word}`);
        }),
    );
    expect(found).toEqual([]);
  });
});
