// Compiled, never run: what the types of the command builder must infer, accept and refuse.
import { cliCommand, defineCli, PluginCliError } from "@get-svc/plugin-sdk";
import type { SvcPluginApi } from "@get-svc/plugin-sdk";

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<_T extends true>(): void {}

const add = cliCommand({
  summary: "Add",
  options: {
    all: { type: "boolean" },
    note: { type: "string" },
    place: { type: "string", default: "home" },
    title: { type: "string", required: true },
    tag: { type: "string", repeatable: true },
    to: { type: "string", split: ":" },
    count: { type: "integer", min: 1 },
    level: { type: "enum", values: ["low", "high"] },
    sort: { type: "enum", values: ["name", "date"], default: "name" },
    every: { type: "duration", defaultUnit: "m", required: true },
  },
  positionals: [
    { name: "from", description: "From", required: true },
    { name: "via", description: "Via" },
    { name: "rest", description: "Rest", variadic: true },
  ],
  constraints: [
    { kind: "at-most-one", options: ["note", "count"] },
    { kind: "requires", option: "level", requires: ["sort"] },
  ],
  async run({ options, positionals, passthrough, help }, { signal, cwd }) {
    expectType<Equal<typeof options.all, boolean>>();
    expectType<Equal<typeof options.json, boolean>>();
    expectType<Equal<typeof options.note, string | undefined>>();
    expectType<Equal<typeof options.place, string>>();
    expectType<Equal<typeof options.title, string>>();
    expectType<Equal<typeof options.tag, string[]>>();
    expectType<Equal<typeof options.to, string[]>>();
    expectType<Equal<typeof options.count, number | undefined>>();
    expectType<Equal<typeof options.level, "low" | "high" | undefined>>();
    expectType<Equal<typeof options.sort, "name" | "date">>();
    expectType<Equal<typeof options.every, number>>();
    expectType<Equal<typeof positionals.from, string>>();
    expectType<Equal<typeof positionals.via, string | undefined>>();
    expectType<Equal<typeof positionals.rest, string[]>>();
    expectType<Equal<typeof passthrough, string[]>>();
    expectType<Equal<typeof signal, AbortSignal>>();
    expectType<Equal<typeof cwd, string | undefined>>();
    // @ts-expect-error there is no such option
    void options.other;
    // @ts-expect-error there is no such positional
    void positionals.other;
    if (options.all) {
      throw new PluginCliError("no", { code: "busy", hint: "Wait.", exitCode: 3 });
    }
    return help();
  },
});

cliCommand({
  summary: "Wrong",
  options: { a: { type: "boolean" } },
  // @ts-expect-error the constraint names an option that is not there
  constraints: [{ kind: "at-least-one", options: ["b"] }],
  run: () => undefined,
});

// @ts-expect-error there is no such type
cliCommand({ summary: "Wrong", options: { a: { type: "float" } }, run: () => undefined });

// @ts-expect-error a result is text or an object
cliCommand({ summary: "Wrong", run: () => 5 });

export function register(svc: SvcPluginApi): void {
  svc.cli.register(
    defineCli({
      name: "trip",
      summary: "Trips",
      root: { summary: "Overview", run: () => ({ stdout: "none" }) },
      commands: { add, list: { summary: "List", run: ({ options }) => (options.json ? "[]" : "") } },
      usageErrorExitCode: 64,
    }),
  );
}
