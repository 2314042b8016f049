// An ACP agent that says numbered words at a steady pace: `node pacing_agent.mjs WORDS_PER_SECOND`. The prompt says how many: `Say 100 words`.
// Each hundredth word is followed by a tool call, so that the text begins anew. `Do 100 steps` makes so many tool calls, each tenth followed by a
// word, as fast as they are taken, and goes on until it is cancelled; `Do 100 steps and end` ends its turn.
import { createInterface } from "node:readline";

const kTick = 20;
const perSecond = Number(process.argv[2]);
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (update) => send({ method: "session/update", params: { sessionId: "pacing", update } });

let cancelled = false;

function speak(id, words) {
  const started = performance.now();
  let said = 0;
  cancelled = false;
  const timer = setInterval(() => {
    const due = Math.min(words, Math.floor(((performance.now() - started) * perSecond) / 1000));
    for (; said < due && !cancelled; ++said) {
      update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${said} ` } });
      if (said % 100 === 99) {
        const toolCallId = `call-${id}-${said}`;
        update({ sessionUpdate: "tool_call", toolCallId, title: `Look at ${said}`, kind: "read", status: "in_progress" });
        update({ sessionUpdate: "tool_call_update", toolCallId, status: "completed" });
      }
    }
    if (said === words || cancelled) {
      clearInterval(timer);
      send({ id, result: { stopReason: cancelled ? "cancelled" : "end_turn" } });
    }
  }, kTick);
}

async function work(id, steps, ends) {
  cancelled = false;
  for (let step = 0; step < steps && !cancelled; ++step) {
    update({
      sessionUpdate: "tool_call",
      toolCallId: `step-${id}-${step}`,
      title: `Look at file ${step}`,
      kind: "read",
      status: "completed",
    });
    if (step % 10 === 9) {
      update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `Word after step ${step}.` } });
    }
    if (process.stdout.writableNeedDrain) {
      await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
  }
  if (ends) {
    send({ id, result: { stopReason: cancelled ? "cancelled" : "end_turn" } });
    return;
  }
  const ended = setInterval(() => {
    if (cancelled) {
      clearInterval(ended);
      send({ id, result: { stopReason: "cancelled" } });
    }
  }, kTick);
}

createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    send({ id, result: { protocolVersion: 1, agentCapabilities: {}, agentInfo: { name: "pacing", version: "1.0.0" } } });
  } else if (method === "session/new") {
    send({ id, result: { sessionId: "pacing" } });
  } else if (method === "session/prompt") {
    const text = params.prompt.map((block) => block.text ?? "").join(" ");
    const [, steps, ends] = /Do (\d+) steps( and end)?/.exec(text) ?? [];
    if (steps === undefined) {
      speak(id, Number(/Say (\d+) words/.exec(text)[1]));
    } else {
      void work(id, Number(steps), ends !== undefined);
    }
  } else if (method === "session/cancel") {
    cancelled = true;
  } else if (id !== undefined && method !== undefined) {
    send({ id, error: { code: -32601, message: `no ${method}` } });
  }
});
process.stdin.on("end", () => process.exit(0));
