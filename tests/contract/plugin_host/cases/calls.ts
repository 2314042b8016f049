/** RPC, settings and commands. */
import type { Case } from "./case.ts";

const kOutput = 1_048_576;

export const rpc: Case[] = [
  {
    name: "gives what the schemas return",
    run: (host) => host.rpc("echo", { text: " ab " }),
    gives: { result: { text: "abab", tag: "t" } },
  },
  {
    name: "refuses wrong input with the places",
    run: (host) => host.rpc("echo", { text: " ", times: "x" }),
    gives: {
      code: "invalid_input",
      message:
        'rpc input validation failed for "echo": text: Too small: expected string to have >=1 characters; times: Invalid input: expected number, received string',
      issues: [
        { message: "Too small: expected string to have >=1 characters", path: ["text"] },
        { message: "Invalid input: expected number, received string", path: ["times"] },
      ],
    },
  },
  {
    name: "refuses a missing body",
    run: (host) => host.rpc("echo"),
    gives: {
      code: "invalid_input",
      message: 'rpc input validation failed for "echo": Invalid input: expected object, received undefined',
      issues: [{ message: "Invalid input: expected object, received undefined", path: [] }],
    },
  },
  { name: "sends undefined as null", run: (host) => host.rpc("none"), gives: { result: null } },
  {
    name: "takes no input where the contract says so",
    run: (host) => host.rpc("none", { a: 1 }),
    gives: { code: "invalid_input", message: 'rpc "none" takes no input', issues: [{ message: "Expected no input", path: [] }] },
  },
  { name: "takes null as no input", run: (host) => host.rpc("none", null), gives: { result: null } },
  { name: "takes no body for a schema of null", run: (host) => host.rpc("dotted.name"), gives: { result: "dotted" } },
  { name: "waits for a validator", run: (host) => host.rpc("patient", "good"), gives: { result: "good" } },
  {
    name: "waits for a validator that refuses",
    run: (host) => host.rpc("patient", "bad"),
    gives: {
      code: "invalid_input",
      message: 'rpc input validation failed for "patient": asynchronously bad',
      issues: [{ message: "asynchronously bad", path: [] }],
    },
  },
  {
    name: "does not know other methods",
    run: (host) => host.rpc("nope"),
    gives: { code: "unknown_method", message: 'plugin "contract" has no rpc method "nope"' },
  },
  {
    name: "refuses wrong output",
    run: (host) => host.rpc("wrong", "output"),
    gives: {
      code: "invalid_output",
      message: 'rpc output validation failed for "wrong": not seven',
      issues: [{ message: "not seven", path: [] }],
    },
  },
  {
    name: "refuses output that is not JSON",
    run: (host) => host.rpc("wrong", "date"),
    gives: {
      code: "non_json_result",
      message: 'rpc "wrong" returned a value that is not JSON: result.list[0] is an instance of Date, not a plain object',
    },
  },
  {
    name: "answers a throw with its message",
    run: (host) => host.rpc("wrong", "throw"),
    gives: { code: "handler_error", message: "on purpose" },
  },
  {
    name: "copies code and retryable of a throw",
    run: (host) => host.rpc("wrong", "coded"),
    gives: { code: "handler_error", message: "full", details: { code: "list_full", retryable: true } },
  },
  { name: "survives a throw of null", run: (host) => host.rpc("wrong", "odd"), gives: { code: "handler_error", message: "null" } },
  { name: "says who calls", run: (host) => host.rpc("who"), gives: { result: [{ kind: "client" }, true, false] } },
];

export const settings: Case[] = [
  {
    name: "shows what clients may see",
    run: async (host) => {
      const { settings } = (await host.registrations()) as { settings: Record<string, unknown> };
      return settings;
    },
    gives: {
      level: { type: "select", label: "level", default: "low", options: ["low", "high"] },
      retries: { type: "number", label: "retries", default: 3 },
      key: { type: "string", label: "key", secret: true },
      flag: { type: "boolean", label: "flag" },
      note: { type: "string", label: "note" },
      area: { type: "string", label: "area" },
    },
  },
  {
    name: "saves and shows values, a secret only as set",
    run: async (host) => ((await host.settings({ level: "high", note: "n" })) as { result: { values: object } }).result.values,
    gives: { level: "high", retries: 3, key: { set: true }, note: "n" },
  },
  {
    name: "saves all or nothing, with an issue for each key",
    run: (host) => host.settings({ level: "middle", retries: "x", nope: 1, note: "changed" }),
    gives: {
      code: "invalid_input",
      message:
        'the settings are not valid: level: Expected one of "low", "high"; retries: Expected a finite number, got a string; ' +
        'nope: Unknown setting; there are "level", "retries", "key", "flag", "note", "area"',
      issues: [
        { message: 'Expected one of "low", "high"', path: ["values", "level"] },
        { message: "Expected a finite number, got a string", path: ["values", "retries"] },
        { message: 'Unknown setting; there are "level", "retries", "key", "flag", "note", "area"', path: ["values", "nope"] },
      ],
    },
  },
  {
    name: "unsets with null",
    run: async (host) => ((await host.settings({ level: null, note: null, key: null })) as { result: { values: object } }).result.values,
    gives: { level: "low", retries: 3, key: { set: false } },
  },
];

export const cli: Case[] = [
  {
    name: "gives the result and the context",
    run: (host) => host.cli(["context", "--json"], { cwd: "/home", threadId: "thr_1", projectId: "proj_1" }),
    gives: { result: { exitCode: 3, stdout: '[["context","--json"],"/home","thr_1","proj_1",false]', stderr: "é" } },
  },
  {
    name: "answers a throw",
    run: (host) => host.cli(["throw"]),
    gives: { code: "handler_error", message: "svc contract failed: on purpose" },
  },
  {
    name: "refuses an exit code of 256",
    run: (host) => host.cli(["code"]),
    gives: { code: "handler_error", message: "svc contract failed: run returned the exitCode 256, expected an integer from 0 to 255" },
  },
  {
    name: "refuses output that is a number",
    run: (host) => host.cli(["number"]),
    gives: { code: "handler_error", message: "svc contract failed: run returned a stdout that is not a string" },
  },
  {
    name: "refuses no result",
    run: (host) => host.cli(["other"]),
    gives: { code: "handler_error", message: "svc contract failed: run returned no result object { exitCode, stdout?, stderr? }" },
  },
  {
    name: "takes output up to the limit",
    run: async (host) => ((await host.cli(["largest"])) as { result: { stdout: string } }).result.stdout.length,
    gives: kOutput - 2,
  },
  {
    name: "refuses output over the limit",
    run: (host) => host.cli(["large"]),
    gives: {
      code: "plugin_cli_output_too_large",
      message: `svc contract wrote ${kOutput + 1} bytes of output, the limit cliOutput is ${kOutput}`,
      details: { maxBytes: kOutput, stdoutBytes: kOutput, stderrBytes: 1, totalBytes: kOutput + 1, exitCode: 1 },
    },
  },
];
