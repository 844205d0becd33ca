import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { run } from "waybill-harness/run-program.js";
import { openConsumer } from "../pack/consumer.js";

// Installs the packed packages into an empty folder of CommonJS, and tries there what docs/install.md says of it: require, TypeScript, and Jest with
// each of the settings. Exits with 1 when one does not end as the page says.

const body = `
  const broker = createBroker();
  await broker.createQueue("orders");
  const client = new WaybillClient(localTransport(broker), { serializer: json({ schema: { type: "object" } }) });
  await client.createSender("orders").sendMessages({ body: { id: 1 } });
  const [message] = await client.createReceiver("orders").receiveMessages(1);
  await client.close();
  return message.body;`;
const modules = {
  "@waybill/broker": "createBroker",
  "@waybill/core": "WaybillClient",
  "@waybill/serializer-json": "json",
  "@waybill/transport-local": "localTransport",
};
const requires = lines((id, name) => `const { ${name} } = require("${id}");`);
const imports = lines((id, name) => `import { ${name} } from "${id}";`);
const test = `test("a message", async () => expect(await run()).toEqual({ id: 1 }));\n`;
const files = {
  "plain.cjs": `${requires}async function run() {${body}\n}\nrun().then((got) => console.log(got.id));\n`,
  "main.ts": `${imports}export const made: unknown[] = [createBroker, WaybillClient, json, localTransport];\n`,
  "tsconfig.json": `{ "compilerOptions": { "noEmit": true, "strict": true, "types": ["node"], "target": "es2023" }, "files": ["main.ts"] }`,
  "commonjs.test.js": `${requires}async function run() {${body}\n}\n${test}`,
  "modules.test.mjs": `${imports}async function run() {${body}\n}\n${test}`,
  "babel.config.cjs": `module.exports = { presets: [["@babel/preset-env", { targets: { node: "current" } }]] };\n`,
  "commonjs.json": String.raw`{ "transformIgnorePatterns": ["/node_modules/(?!(?:\\.pnpm/)?@waybill[/+])"], "testMatch": ["<rootDir>/*.test.js"] }`,
  "untransformed.json": '{ "testMatch": ["<rootDir>/*.test.js"] }',
  "modules.json": '{ "testMatch": ["<rootDir>/*.test.mjs"], "transform": {} }',
};
using consumer = await openConsumer("commonjs", "commonjs");
const { folder } = consumer;
for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
const tools = ["jest@30", "@babel/core", "@babel/preset-env", "typescript@5.9", "@types/node@20"];
await consumer.install(["transport-local", "serializer-json"], tools);
await expectRun("require", ["plain.cjs"], /^1\n$/);
const tsc = "node_modules/typescript/bin/tsc";
await expectRun("TypeScript, module node16", [tsc, "--module", "node16"], /TS1479/);
await expectRun("TypeScript, module nodenext", [tsc, "--module", "nodenext"], /^$/);
const jest = "node_modules/jest/bin/jest.js";
await expectRun("Jest without a setting", [jest, "-c", "untransformed.json"], /Must use import/);
const vmModules = "--experimental-vm-modules";
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
// From here on, Jest loads modules by require, too, in its mode for modules.
const loadsModules = major > 24 || (major === 24 && minor >= 9);
await expectRun(
  "Jest, require in its mode for modules",
  [vmModules, jest, "-c", "untransformed.json"],
  loadsModules ? /Tests: +1 passed/ : /Must use import/,
);
await expectRun("Jest, packages transformed", [jest, "-c", "commonjs.json"], /Tests: +1 passed/);
await expectRun("Jest, modules", [vmModules, jest, "-c", "modules.json"], /Tests: +1 passed/);

function lines(line: (id: string, name: string) => string): string {
  return Object.entries(modules)
    .map(([id, name]) => `${line(id, name)}\n`)
    .join("");
}

async function expectRun(what: string, args: readonly string[], expected: RegExp): Promise<void> {
  const { stdout, stderr } = await run(process.execPath, args, { cwd: folder }).catch(
    (error: { readonly stdout: string; readonly stderr: string }) => error,
  );
  // Jest reports on stderr.
  const isAsExpected = expected.test(stdout) || (stdout === "" && expected.test(stderr));
  console.log(`${isAsExpected ? "ok  " : "FAIL"} ${what}`);
  if (isAsExpected) return;
  console.log(`expected ${expected}\n${stdout}${stderr}`);
  process.exitCode = 1;
}
