// Compares the service's reading of ranges with npm's own: node semver_fuzz.mjs <semver_probe> [rounds] [seed]
import { spawnSync } from "node:child_process";
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const semver = require("semver");

const [probe, rounds = "20000", seed = "1"] = process.argv.slice(2);

// A small generator with a seed, so that what is found once is found again.
let state = Number(seed) >>> 0;
const random = (limit) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * limit);
};
const pick = (list) => list[random(list.length)];

const number = () => pick(["0", "0", "1", "1", "2", "3", "10", "01", "9007199254740991", "9007199254740992"]);
const wild = () => (random(6) === 0 ? pick(["x", "X", "*"]) : number());
const tag = () => pick(["alpha", "beta.1", "beta.2", "rc.0", "0", "1", "01", "a-b", "-", "x.7", ""]);
const suffix = () => (random(3) === 0 ? `-${tag()}` : "") + (random(8) === 0 ? `+${pick(["build", "1", ""])}` : "");
const version = () => `${number()}.${number()}.${number()}${suffix()}`;
const partial = () => pick([() => wild(), () => `${wild()}.${wild()}`, () => `${wild()}.${wild()}.${wild()}${suffix()}`])();
const operator = () => pick(["", "", "^", "~", "~>", ">", ">=", "<", "<=", "=", "v", "^v", ">= ", "~ ", "^ ", "=v", "<>", "!"]);
// A lone tilde or caret takes the operator of its neighbour, which nobody writes and the service does not read.
const comparator = () => {
  const prefix = operator();
  return prefix + (random(12) === 0 && !/[~^]/.test(prefix) ? "" : partial());
};
const set = () =>
  random(6) === 0 ? `${partial()} - ${partial()}` : Array.from({ length: 1 + random(3) }, comparator).join(pick([" ", " ", "  ", ","]));
const range = () => Array.from({ length: 1 + random(2) }, set).join(pick(["||", " || ", "|| "]));

function expected(text, candidate) {
  if (semver.parse(candidate) === null) {
    return "-";
  }
  let parsed;
  try {
    parsed = new semver.Range(text);
  } catch {
    return "!";
  }
  const minimum = semver.minVersion(parsed);
  return `${semver.satisfies(candidate, parsed) ? 1 : 0} ${minimum ? minimum.version : "none"}`;
}

const cases = Array.from({ length: Number(rounds) }, () => [range(), version()]);
const child = spawnSync(probe, { input: cases.map((each) => each.join("\t") + "\n").join(""), encoding: "utf8", maxBuffer: 1 << 28 });
const answers = child.stdout.split("\n");
let failures = 0;
cases.forEach(([text, candidate], index) => {
  const wanted = expected(text, candidate);
  if (wanted !== answers[index] && ++failures <= 20) {
    console.log(`range "${text}", version "${candidate}": npm says ${wanted}, the service says ${answers[index]}`);
  }
});
console.log(`${cases.length} cases, ${failures} differ (seed ${seed})`);
process.exit(failures === 0 && child.status === 0 ? 0 : 1);
