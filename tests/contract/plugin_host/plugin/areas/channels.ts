import { gives, refuses } from "../attempt.ts";

const cli = (registration: unknown) => (svc: any) => svc.cli.register(registration);
const run = () => ({ exitCode: 0 });
const kOutput = 1_048_576;

async function command(argv: string[], ctx: any): Promise<unknown> {
  switch (argv[0]) {
    case "context":
      return { exitCode: 3, stdout: JSON.stringify([argv, ctx.cwd, ctx.threadId, ctx.projectId, ctx.signal.aborted]), stderr: "é" };
    case "throw":
      throw new RangeError("on purpose");
    case "code":
      return { exitCode: 256 };
    case "number":
      return { exitCode: 0, stdout: 5 };
    case "largest":
      return { exitCode: 0, stdout: "x".repeat(kOutput - 2), stderr: "é" };
    case "large":
      return { exitCode: 1, stdout: "x".repeat(kOutput), stderr: "y" };
    default:
      return undefined;
  }
}

/** In this order: what is refused comes before what registers. */
export const cliRegistrations = [
  refuses("no registration", "cli.register: the registration must be an object { name, commands, run }", cli(undefined)),
  refuses("a name of two words", 'cli.register: name must be one word of a-z, 0-9 and "-"', cli({ name: "a b", run })),
  refuses("a name in capitals", 'cli.register: name must be one word of a-z, 0-9 and "-"', cli({ name: "Todo", run })),
  refuses("a blank summary", "cli.register: summary must be a non-blank string when given", cli({ name: "a", summary: " ", run })),
  refuses("no run", "cli.register: run must be a function", cli({ name: "a" })),
  refuses("rendersHelp that is text", "cli.register: rendersHelp must be a boolean", cli({ name: "a", run, rendersHelp: "yes" })),
  refuses("commands that are an object", "cli.register: commands must be an array", cli({ name: "a", run, commands: {} })),
  refuses(
    "a command that is text",
    "cli.register: commands[0] must be an object { name, summary, usage }",
    cli({ name: "a", run, commands: ["x"] }),
  ),
  refuses(
    "a command with two blanks",
    'cli.register: commands[0].name must be words of a-z, 0-9 and "-" separated by single spaces',
    cli({ name: "a", run, commands: [{ name: "x  y", summary: "", usage: "" }] }),
  ),
  refuses(
    "a command without usage",
    "cli.register: commands[0].usage must be a string",
    cli({ name: "a", run, commands: [{ name: "x", summary: "" }] }),
  ),
  gives("a command", null, cli({ name: "contract", run: command, commands: [{ name: "context", summary: "s", usage: "u", since: 1 }] })),
  refuses(
    "a second command",
    'cli.register: duplicate name "other": a plugin registers one command, and "contract" is registered',
    cli({ name: "other", run }),
  ),
];

const handler = (c: any) => c.text("x");

export const http = [
  refuses("an unknown method", 'http.route: the method must be one of GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS, is "TRACE"', (svc) =>
    svc.http.route("TRACE", "/x", handler),
  ),
  refuses("a path that is a number", "http.route: the path must be a string, is a number", (svc) => svc.http.route("GET", 1, handler)),
  refuses("a path without a slash", 'http.route: the path "x" must start with "/"', (svc) => svc.http.route("GET", "x", handler)),
  refuses("no handler", "http.route: the handler must be a function, is undefined", (svc) => svc.http.route("GET", "/x")),
  refuses("an unknown mode", 'http.route: auth must be "local", "token" or "none", is "public"', (svc) =>
    svc.http.route("GET", "/x", handler, { auth: "public" }),
  ),
  refuses("options that are text", "http.route: options must be an object, is a string", (svc) =>
    svc.http.route("GET", "/x", handler, "none"),
  ),
  refuses("a route twice", 'http.route: duplicate name "GET /json"', (svc) => svc.http.route("get", "/json", handler)),
  refuses("a socket twice", 'http.experimental_websocket: duplicate name "/echo"', (svc) =>
    svc.http.experimental_websocket("/echo", () => ({})),
  ),
  refuses("a socket without handlers", "http.experimental_websocket: the second argument must be a function, is an object", (svc) =>
    svc.http.experimental_websocket("/other", {}),
  ),
  gives("a route that is registered later, and an option of the future", null, (svc) =>
    svc.http.route("GET", "/late", (c: any) => c.text("late"), { auth: "none", cache: true }),
  ),
];

const schedule =
  (cron: unknown, name: unknown = "x") =>
  (svc: any) =>
    svc.background.schedule(name, cron, () => undefined);
const wrongCron: [cron: string, problem: string][] = [
  ["", "the expression has 0 fields, expected 5: minute hour day-of-month month day-of-week (position 1)"],
  ["* * * *", "the expression has 4 fields, expected 5: minute hour day-of-month month day-of-week (position 8)"],
  ["* * * * * *", "the expression has 6 fields, expected 5: minute hour day-of-month month day-of-week (position 11)"],
  ["60 * * * *", 'minute "60" is not a number from 0 to 59 (position 1)'],
  ["0 24 * * *", 'hour "24" is not a number from 0 to 23 (position 3)'],
  ["0 0 0 * *", 'day of month "0" is not a number from 1 to 31 (position 5)'],
  ["0 0 1 foo *", 'month "foo" is not a number from 1 to 12 or a name from jan to dec (position 7)'],
  ["0 0 * * 8", 'day of week "8" is not a number from 0 to 7 or a name from sun to sat (position 9)'],
  ["1,,2 * * * *", "the minute is missing a value; expected a number from 0 to 59 (position 3)"],
  ["30-10 * * * *", 'the range "30-10" of the minute begins after its end (position 1)'],
  ["*/0 * * * *", 'step "0" of the minute is not a number from 1 to 60 (position 3)'],
  ["0 */25 * * *", 'step "25" of the hour is not a number from 1 to 24 (position 5)'],
  ["0 0 * * */8", 'step "8" of the day of week is not a number from 1 to 7 (position 11)'],
  ["0  0  30 feb *", 'no month of "feb" has a day "30", so the schedule would never run (position 7)'],
  ["é * * * *", 'minute "é" is not a number from 0 to 59 (position 1)'],
  ["é é * * * *", "the expression has 6 fields, expected 5: minute hour day-of-month month day-of-week (position 13)"],
  [
    "@fortnightly",
    '"@fortnightly" is not a known name; expected @hourly, @daily, @midnight, @weekly, @monthly, @yearly or @annually (position 1)',
  ],
  ["1- * * * *", 'minute "" is not a number from 0 to 59 (position 3)'],
  ["+5 * * * *", 'minute "+5" is not a number from 0 to 59 (position 1)'],
  ["00005 * * * *", 'minute "00005" is not a number from 0 to 59 (position 1)'],
];

const goodCron = [
  "@hourly",
  "@Yearly",
  "0,30 8-18 * * mon-fri",
  "0-59/5 * * * *",
  "5/10 * * * *",
  "0 0 29 2 *",
  "0 0 30 2 mon",
  "\t0 0 * * FRI-SUN ",
  "0 0 * JAN,dec 7",
];

export const background = [
  refuses("a service name with a blank", 'background.service: the name "a b" must be one or more letters, digits, "-" and "_"', (svc) =>
    svc.background.service("a b", { start() {} }),
  ),
  refuses("a service that is a function", "background.service: the service must be an object, is a function", (svc) =>
    svc.background.service("a", () => 1),
  ),
  refuses("a service without start", "background.service: start must be a function, is undefined", (svc) =>
    svc.background.service("a", {}),
  ),
  refuses("a service twice", 'background.service: duplicate name "idle"', (svc) => svc.background.service("idle", { start() {} })),
  refuses("a schedule name that is a number", "background.schedule: the name must be a string, is a number", schedule("@daily", 1)),
  refuses("an expression that is a number", "background.schedule: the cron expression must be a string, is a number", schedule(5)),
  refuses("a schedule without a function", "background.schedule: the third argument must be a function, is undefined", (svc) =>
    svc.background.schedule("a", "@daily"),
  ),
  refuses("a schedule twice", 'background.schedule: duplicate name "tick"', schedule("@daily", "tick")),
  ...wrongCron.map(([cron, problem]) =>
    refuses(`the expression ${JSON.stringify(cron)}`, `background.schedule: cron "${cron}": ${problem}`, schedule(cron)),
  ),
  ...goodCron.map((cron, index) => gives(`the expression ${JSON.stringify(cron)}`, null, schedule(cron, `good${index}`))),
];

export const status = [
  refuses("a hook that is no function", "onDispose: needs a function, got undefined", (svc) => svc.onDispose()),
  refuses("an install hook that is null", "onInstall: needs a function, got null", (svc) => svc.onInstall(null)),
  gives("the id and the shape of the base address", ["contract", true, true], ({ pluginId, server }) => [
    pluginId,
    /^http:\/\/127\.0\.0\.1:\d+$/.test(server.loopbackBaseUrl),
    // The fake service has no machine of its own.
    /^(null|host_[0-9a-z]+)$/.test(String(server.experimental_hostId)),
  ]),
  gives("log lines of anything", null, ({ log }) => {
    log.debug("quiet");
    log.info({ toString: () => "an object" });
    log.warn(undefined);
    log.error(new RangeError("shown"));
    log.info(Object.create(null));
  }),
];
