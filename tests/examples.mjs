// What `npm test` of each example does, for all of them at once: their types in one process of the compiler that authors get, their
// tests in one Vitest. One with a test script of its own is run by npm.
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

import ts from "typescript";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const examples = join(root, "examples");
const kTypes = "tsc --noEmit";
const kTypesAndTests = `${kTypes} && vitest run`;

/** One program after the other, which share what they have read: most of it is the same. */
function typesAreRight(names) {
  const read = new Map();
  const found = names.flatMap((name) => {
    const failures = [];
    const config = ts.getParsedCommandLineOfConfigFile(
      join(examples, name, "tsconfig.json"),
      { noEmit: true },
      { ...ts.sys, onUnRecoverableConfigFileDiagnostic: (failure) => failures.push(failure) },
    );
    if (config === undefined) {
      return failures;
    }
    const host = ts.createCompilerHost(config.options);
    const getSourceFile = host.getSourceFile;
    host.getSourceFile = (file, options, ...rest) => {
      const key = JSON.stringify([file, options.languageVersion, options.impliedNodeFormat, config.options.jsx]);
      if (!read.has(key)) {
        read.set(key, getSourceFile(file, options, ...rest));
      }
      return read.get(key);
    };
    const { fileNames: rootNames, options, errors: configFileParsingDiagnostics } = config;
    return ts.getPreEmitDiagnostics(ts.createProgram({ rootNames, options, host, configFileParsingDiagnostics }));
  });
  const places = { getCurrentDirectory: () => root, getCanonicalFileName: (file) => file, getNewLine: () => "\n" };
  process.stderr.write(ts.formatDiagnostics(found, places));
  return found.length === 0;
}

function succeeds(program, ...words) {
  return spawnSync(program, words, { cwd: root, stdio: "inherit" }).status === 0;
}

function hasTests(name) {
  const folder = join(examples, name, "tests");
  const there = existsSync(folder) && readdirSync(folder, { recursive: true }).some((file) => /\.test\.tsx?$/.test(file));
  if (!there) {
    process.stderr.write(`examples/${name}: its test script runs Vitest, and there is no test below tests/\n`);
  }
  return there;
}

const scripts = new Map(
  readdirSync(examples)
    .filter((name) => existsSync(join(examples, name, "package.json")))
    .map((name) => [name, JSON.parse(readFileSync(join(examples, name, "package.json"), "utf8")).scripts?.test]),
);
const named = (...wanted) => [...scripts].filter(([, script]) => wanted.includes(script)).map(([name]) => name);
const usual = named(kTypes, kTypesAndTests);
const tested = named(kTypesAndTests);
const outcomes = [
  typesAreRight(usual),
  tested.every(hasTests),
  tested.length === 0 ||
    succeeds(join(root, "node_modules/.bin/vitest"), "run", "--dir", examples, ...tested.map((name) => `examples/${name}/tests/`)),
  ...[...scripts.keys()]
    .filter((name) => !usual.includes(name))
    .map((name) => succeeds("npm", "test", "--silent", "-w", `examples/${name}`)),
];
process.exitCode = outcomes.every(Boolean) ? 0 : 1;
