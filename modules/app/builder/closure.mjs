// Prints the directories of packages and of what they need at run time, below node_modules, one per line.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

const [modules, ...roots] = process.argv.slice(2);
const seen = new Set();

function visit(name) {
  const directory = join(modules, name);
  if (seen.has(name) || !existsSync(directory)) {
    return;
  }
  seen.add(name);
  const { dependencies, optionalDependencies } = JSON.parse(readFileSync(join(directory, "package.json"), "utf8"));
  // Programs for other machines are optional dependencies that npm left out.
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
    visit(needed);
  }
}

roots.forEach(visit);
console.log([...seen].sort().join("\n"));
