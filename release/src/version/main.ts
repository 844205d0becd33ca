import { readFileSync, writeFileSync } from "node:fs";
import { datedChangelog } from "../changelog.js";
import { root, setVersion } from "../workspace.js";

// Dates the unreleased entries of CHANGELOG.md and sets the version in every manifest: all packages have one. Usage: version 1.2.3

const [version = ""] = process.argv.slice(2);
const path = `${root}CHANGELOG.md`;
const date = new Date().toISOString().slice(0, 10);
writeFileSync(path, datedChangelog(readFileSync(path, "utf8"), version, date));
const changed = setVersion(version);
console.log(`CHANGELOG.md and ${changed.length} manifests have version ${version}.`);
