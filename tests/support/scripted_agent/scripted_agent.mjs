// An agent that speaks ACP and does what a file says: `node scripted_agent.mjs SCRIPT.json [LOG]`. Its steps: README.md. LOG gets what it
// hears, a line each. No dependencies; writing blocks, so that a reader who rests makes it wait.
import { spawn } from "node:child_process";
import { appendFileSync, closeSync, readFileSync, writeSync } from "node:fs";

const [scriptFile, logFile] = process.argv.slice(2);
const script = JSON.parse(readFileSync(scriptFile, "utf8"));
const kSession = "scripted-session";
const kUsual = {
  initialize: [
    { answer: { protocolVersion: 1, agentCapabilities: script.capabilities ?? {}, agentInfo: { name: "scripted", version: "1.0.0" } } },
  ],
  authenticate: [{ answer: {} }],
  "session/new": [{ answer: { sessionId: kSession } }],
  "session/load": [{ answer: {} }],
  "session/resume": [{ answer: {} }],
  "session/close": [{ answer: {} }],
  "session/set_mode": [{ answer: {} }],
};

/** @typedef {{ id?: number | string, method?: string, params?: any, result?: any, error?: any }} Message */
/** @typedef {Record<string, any>} Step */
/** A request that is being answered, or undefined for what is said unasked. @typedef {{ id: number | string, answered: boolean } | undefined} Call */

/** @type {Map<string, number>} */
const times = new Map();
/** @type {Map<number, (message: Message) => void>} */
const asked = new Map();
/** @type {(() => void)[]} */
let whenCancelled = [];
let cancelled = false;
let nextId = 1;

/** In pieces of so many bytes, in the middle of a character too. @param {string | Buffer} data @param {number} [piece] */
function write(data, piece = script.pieces ?? Infinity) {
  const bytes = Buffer.from(data);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at, Math.min(piece, bytes.length - at));
    } catch (error) {
      if (/** @type {NodeJS.ErrnoException} */ (error).code !== "EAGAIN") {
        process.exit(0); // nobody reads any more
      }
    }
  }
}

/** @param {Message} message */
const send = (message) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
/** @param {any} update */
const update = (update) => send({ method: "session/update", params: { sessionId: kSession, update } });
/** @param {string} kind @param {string} text @param {string} [messageId] */
const chunk = (kind, text, messageId) =>
  update({ sessionUpdate: kind, content: { type: "text", text }, ...(messageId === undefined ? {} : { messageId }) });

/** @param {string} kind @param {Step} step */
function stream(kind, { text, split = Infinity, messageId }) {
  const characters = [...text];
  for (let at = 0; at < characters.length; at += split) {
    chunk(kind, characters.slice(at, at + split).join(""), messageId);
  }
}

/** @param {string} method @param {any} params @returns {Promise<Message>} */
function request(method, params) {
  const id = nextId++;
  send({ id, method, params: { sessionId: kSession, ...params } });
  return new Promise((answered) => asked.set(id, answered));
}

/** What a step does, by its name. @type {Record<string, (value: any, call: Call, step: Step) => unknown>} */
const kSteps = {
  answer: (result, call) => call && reply(call, { result }),
  error: (error, call) => call && reply(call, { error }),
  update,
  text: (text, _call, step) => stream("agent_message_chunk", { ...step, text }),
  thought: (text, _call, step) => stream("agent_thought_chunk", { ...step, text }),
  send,
  request: async ({ method, params }, _call, { say }) => {
    const { result, error } = await request(method, params);
    if (say) {
      chunk("agent_message_chunk", JSON.stringify(result ?? error));
    }
  },
  raw: (text) => write(text),
  filler: (bytes) => write("x".repeat(bytes)),
  stderr: (text) => writeSync(2, text),
  env: (names) => chunk("agent_message_chunk", names.map((/** @type {string} */ name) => `${name}=${process.env[name] ?? ""}`).join("\n")),
  cwd: () => chunk("agent_message_chunk", process.cwd()),
  start: ({ argv, own }) => {
    const child = spawn(argv[0], argv.slice(1), { detached: own, stdio: "ignore" });
    chunk("agent_message_chunk", `pid ${child.pid}\n`);
  },
  repeat: async ({ times: count, steps }, call) => {
    for (let time = 0; time < count && !cancelled; ++time) {
      await play(steps, call);
      await new Promise((turn) => setImmediate(turn));
    }
  },
  untilCancelled: () => cancelled || new Promise((resolve) => whenCancelled.push(() => resolve(undefined))),
  silence: () => new Promise(() => {}),
  closeOutput: () => closeSync(1),
  deaf: () => process.stdin.pause(),
  exit: (code) => process.exit(code),
  signal: (name) => {
    process.kill(process.pid, name);
    return new Promise(() => {});
  },
};

/** @param {NonNullable<Call>} call @param {Message} message */
function reply(call, message) {
  call.answered = true;
  send({ id: call.id, ...message });
}

/** @param {Step[]} steps @param {Call} call */
async function play(steps, call) {
  for (const step of steps) {
    const name = Object.keys(step).find((key) => Object.hasOwn(kSteps, key));
    if (name === undefined) {
      throw new Error(`no such step: ${JSON.stringify(step)}`);
    }
    await kSteps[name](step[name], call, step);
  }
}

/** The n-th list of steps for the n-th request, the last one for those after it. @param {string} method */
function stepsFor(method) {
  const lists = method === "session/prompt" ? (script.turns ?? [[]]) : script.on?.[method] && [script.on[method]].flat(1);
  const nested = lists?.length > 0 && Array.isArray(lists[0]) ? lists : lists && [lists];
  const time = times.get(method) ?? 0;
  times.set(method, time + 1);
  return nested ? nested[Math.min(time, nested.length - 1)] : kUsual[/** @type {keyof typeof kUsual} */ (method)];
}

/** @param {Message} message */
async function onRequest({ id, method = "" }) {
  const steps = stepsFor(method);
  const call = { id: id ?? 0, answered: false };
  if (steps === undefined) {
    reply(call, { error: { code: -32601, message: `no method ${method}` } });
    return;
  }
  if (method === "session/prompt") {
    cancelled = false;
  }
  await play(steps, call);
  if (!call.answered && method === "session/prompt") {
    reply(call, { result: { stopReason: cancelled ? "cancelled" : "end_turn" } });
  }
}

/** @param {Message} message */
function onMessage(message) {
  if (logFile) {
    appendFileSync(logFile, `${JSON.stringify(message)}\n`);
  }
  if (message.method === undefined) {
    const answered = asked.get(Number(message.id));
    asked.delete(Number(message.id));
    answered?.(message);
  } else if (message.id !== undefined) {
    void onRequest(message);
  } else if (message.method === "session/cancel" && !script.ignoresCancel) {
    cancelled = true;
    whenCancelled.splice(0).forEach((resolve) => resolve());
  }
}

let rest = "";
process.stdin.setEncoding("utf8");
process.stdin.on("data", (/** @type {string} */ data) => {
  const lines = (rest + data).split("\n");
  rest = lines.pop() ?? "";
  lines.forEach((line) => onMessage(JSON.parse(line)));
});
process.stdin.on("end", () => script.survivesEnd || process.exit(0));
if (script.ignoresTerm) {
  process.on("SIGTERM", () => {});
}
void play(script.first ?? [], undefined);
