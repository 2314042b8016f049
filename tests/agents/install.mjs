// Installs what tests/agents/packages.json names and is not there yet: node install.mjs <name>...
import { install, isInstalled, versionOf } from "./lib/packages.mjs";

for (const name of process.argv.slice(2)) {
  if (!isInstalled(name)) {
    console.error(`-- installing ${name} ${versionOf(name)} from npm`);
    install(name);
  }
}
