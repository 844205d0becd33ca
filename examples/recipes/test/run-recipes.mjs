import { format } from "node:util";

// Runs compiled recipes for their test, one after the other, in one process: loading what they use takes longer than they do. Answers with what
// each printed, and ends by itself when all of them have closed what they opened.

const printed = {};
for (const name of process.argv.slice(2)) {
  const lines = [];
  console.log = (...values) => lines.push(format(...values));
  await import(`../dist/${name}.js`);
  printed[name] = lines.join("\n");
}
process.stdout.write(JSON.stringify(printed));
