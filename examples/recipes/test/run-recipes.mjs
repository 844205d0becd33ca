import { format } from "node:util";

// Runs the compiled recipes one after the other in one process, because loading the packages takes longer than running a recipe.
// Writes the output of each as JSON, and exits when all of them have closed their clients.

const printed = {};
for (const name of process.argv.slice(2)) {
  const lines = [];
  console.log = (...values) => lines.push(format(...values));
  await import(`../dist/${name}.js`);
  printed[name] = lines.join("\n");
}
process.stdout.write(JSON.stringify(printed));
