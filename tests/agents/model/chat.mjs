// Chat completions.
import { randomUUID } from "node:crypto";

import { json } from "../model_server.mjs";
import { plainText, spoken, sse } from "./sse.mjs";

export const handles = (path) => path.endsWith("/chat/completions");

export function read({ messages = [], tools = [] }) {
  const calls = messages.flatMap(({ tool_calls = [] }) => tool_calls ?? []);
  return {
    said: messages
      .filter(({ role }) => role === "user")
      .map(({ content }) => plainText(content))
      .join("\n"),
    tools: tools.map(({ function: tool }) => ({ name: tool.name, parameters: tool.parameters })),
    uses: messages
      .filter(({ role }) => role === "tool")
      .map(({ tool_call_id, content }) => {
        const { function: used } = calls.find(({ id }) => id === tool_call_id) ?? {};
        return { name: used?.name, arguments: JSON.parse(used?.arguments ?? "{}"), result: plainText(content) };
      }),
    text: messages.map(({ content }) => plainText(content)).join("\n"),
  };
}

export async function write(response, { text, pieces, between, call }, { body }) {
  const calls = call && [
    { index: 0, id: `call_${randomUUID()}`, type: "function", function: { name: call.name, arguments: JSON.stringify(call.arguments) } },
  ];
  const message = { role: "assistant", content: call ? null : text, ...(calls && { tool_calls: calls }) };
  const finish = call ? "tool_calls" : "stop";
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  const head = { id: `chatcmpl-${randomUUID()}`, created: Math.floor(Date.now() / 1_000), model: body.model };
  if (!body.stream) {
    json(response, { ...head, object: "chat.completion", choices: [{ index: 0, message, finish_reason: finish }], usage });
    return;
  }
  const events = sse(response);
  const chunk = (choices, more) => events.plain({ ...head, object: "chat.completion.chunk", choices, ...more });
  if (call) {
    chunk([{ index: 0, delta: message, finish_reason: null }]);
  } else {
    await spoken({ text, pieces, between }, (content) => chunk([{ index: 0, delta: { role: "assistant", content }, finish_reason: null }]));
  }
  chunk([{ index: 0, delta: {}, finish_reason: finish }]);
  chunk([], { usage });
  events.plain("[DONE]");
  events.end();
}
