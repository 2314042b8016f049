// Runs scenarios one after another, prints a table and writes the report. Called by scripts/bench.
import { existsSync } from "node:fs";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { parseArgs } from "node:util";

import { about } from "./lib/about.mjs";
import { unmeasured } from "./lib/bars.mjs";
import { isBusy } from "./lib/busy.mjs";
import { flamePage } from "./lib/flame.mjs";
import { baselineOf, guard, kGuarded, ratiosOf, verdict } from "./lib/guard.mjs";
import { baselineFile, profileFile, resultFiles, svcd } from "./lib/paths.mjs";
import { perfProblem, profiled } from "./lib/profile.mjs";
import { reportPage } from "./lib/report.mjs";
import { kScenarios } from "./lib/scenarios.mjs";
import { formatTable } from "./lib/table.mjs";

const kUsage = `Usage: scripts/bench [scenario...] [--quick] [--profile]
       scripts/bench --guard [scenario...] [--update-baseline]

  --quick            fewer and shorter rounds
  --profile          flame graphs of svcd and what it starts, in bench/results/profiles (needs perf)
  --guard            half a minute: have ratios fallen by more than a third below bench/baseline.json?
  --update-baseline  writes bench/baseline.json from three such runs

Scenarios; those with * have a short form for --guard:`;
/** Runs that make a baseline: one may have a bad minute. */
const kBaselineRuns = 3;

function refuse(text) {
  console.error(`error: ${text}`);
  process.exit(2);
}

function parsed() {
  const flag = { type: "boolean" };
  try {
    return parseArgs({
      allowPositionals: true,
      options: { quick: flag, profile: flag, guard: flag, "update-baseline": flag, list: flag, help: flag },
    });
  } catch (error) {
    return refuse(`${error.message.split(". ")[0]}; scripts/bench --list names the options`);
  }
}

const { values, positionals } = parsed();

if (values.list || values.help) {
  console.log(kUsage);
  for (const { name, summary } of kScenarios) {
    console.log(`${name in kGuarded ? "*" : " "} ${name.padEnd(16)} ${summary}`);
  }
  process.exit(0);
}

const offered = values.guard ? Object.keys(kGuarded) : kScenarios.map(({ name }) => name);
const unknown = positionals.filter((name) => !offered.includes(name));
if (unknown.length > 0) {
  refuse(`no scenario ${unknown.join(", ")}${values.guard ? " that guards" : ""}; there are ${offered.join(", ")}`);
}
if (values["update-baseline"] && !values.guard) {
  refuse("--update-baseline goes with --guard");
}
if (values.guard && (values.profile || values.quick)) {
  refuse("--guard has a form of its own: without --quick and --profile");
}
if (!existsSync(svcd)) {
  refuse(`there is no ${svcd}: scripts/bench without SVC_BENCH_BUILD builds it`);
}
const problem = values.profile ? perfProblem() : null;
if (problem !== null) {
  refuse(problem);
}

const chosen = kScenarios.filter(({ name }) => offered.includes(name) && (positionals.length === 0 || positionals.includes(name)));
const log = (text) => console.error(`   ${text}`);

async function measure(scenario, form) {
  console.error(`-- ${scenario.name}: ${scenario.summary}`);
  return scenario.run({ form, log });
}

/** Runs a scenario as `measure` does; its rows, and where its flame graph is. */
async function measureWithProfile(scenario, form) {
  if (!values.profile) {
    return { rows: await measure(scenario, form), profile: null };
  }
  const { result: rows, programs } = await profiled(() => measure(scenario, form));
  const file = profileFile(scenario.name);
  await mkdir(new URL(".", file), { recursive: true });
  await writeFile(file, flamePage(scenario.name, programs));
  log(file.pathname);
  return { rows, profile: `profiles/${scenario.name}.html` };
}

/** What the report says of a scenario. One that fails does not take the others with it. */
async function measureForReport(scenario, form) {
  const { name, summary } = scenario;
  try {
    const measured = await measureWithProfile(scenario, form);
    const missing = unmeasured(name, measured.rows);
    const error = missing.length === 0 ? null : `bench/bars.json wants ${missing.join(", ")}, which ${name} does not measure`;
    return { name, summary, ...measured, error };
  } catch (error) {
    return { name, summary, rows: [], profile: null, error: error.message };
  }
}

async function report() {
  const form = values.quick ? "quick" : "full";
  const facts = about(`${form}${values.profile ? ", while perf sampled ours: the numbers are not those of a run without" : ""}`);
  const scenarios = [];
  await mkdir(new URL(".", resultFiles.json), { recursive: true });
  for (const scenario of chosen) {
    const measured = await measureForReport(scenario, form);
    scenarios.push(measured);
    if (measured.error !== null) {
      console.error(`error: ${measured.name}: ${measured.error}`);
      process.exitCode = 1;
    }
    // A long run that is ended leaves what it has.
    await writeFile(resultFiles.json, `${JSON.stringify({ about: facts, scenarios }, null, 2)}\n`);
    await writeFile(resultFiles.html, reportPage({ about: facts, scenarios }));
  }
  console.log(formatTable(scenarios.flatMap(({ rows }) => rows)));
  console.error(`-- ${resultFiles.html.pathname}`);
}

async function readBaseline() {
  try {
    return JSON.parse(await readFile(baselineFile, "utf8"));
  } catch (error) {
    return error.code === "ENOENT" ? {} : refuse(`${baselineFile.pathname}: ${error.message}`);
  }
}

const measureByName = (name) =>
  measure(
    kScenarios.find((scenario) => scenario.name === name),
    "guard",
  );

async function updateBaseline() {
  const wasBusy = await isBusy();
  const all = [];
  for (let run = 1; run <= kBaselineRuns; ++run) {
    const rows = [];
    for (const scenario of chosen) {
      rows.push(...(await measure(scenario, "guard")));
    }
    all.push(ratiosOf(rows));
  }
  const busy = wasBusy || (await isBusy());
  const baseline = { ...(await readBaseline()), ...baselineOf(all, busy) };
  await writeFile(baselineFile, `${JSON.stringify(baseline, null, 2)}\n`);
  console.log(`${JSON.stringify(baseline, null, 2)}\n-- ${baselineFile.pathname}: commit it with the reason for it.`);
  if (busy) {
    console.log("Others use this machine: only lines of the processor's time are new.");
  }
}

async function runGuard() {
  const baseline = await readBaseline();
  const scenarios = chosen.map(({ name }) => name);
  const { text, failed } = verdict(await guard({ measure: measureByName, isBusy, baseline, scenarios, log }), baseline);
  console.log(text);
  process.exitCode = failed ? 1 : 0;
}

try {
  await (values["update-baseline"] ? updateBaseline() : values.guard ? runGuard() : report());
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
