// Messages API.
import { randomUUID } from "node:crypto";

import { json } from "../model_server.mjs";
import { plainText, spoken, sse } from "./sse.mjs";

export const handles = (path) => path.endsWith("/v1/messages");

export function read({ messages = [], system, tools = [] }) {
  const partsOf = (content) => (typeof content === "string" ? [{ type: "text", text: content }] : content);
  const parts = messages.flatMap(({ content }) => partsOf(content));
  return {
    said: plainText(messages.filter(({ role }) => role === "user").flatMap(({ content }) => partsOf(content))),
    tools: tools.map(({ name, input_schema: parameters }) => ({ name, parameters })),
    uses: parts
      .filter(({ type }) => type === "tool_result")
      .map(({ tool_use_id, content }) => {
        const { name, input } = parts.find(({ id }) => id === tool_use_id) ?? {};
        return { name, arguments: input, result: plainText(content) };
      }),
    text: plainText(system) + plainText(parts),
  };
}

export async function write(response, { text, pieces, between, call }, { body }) {
  const block = call ? { type: "tool_use", id: `toolu_${randomUUID()}`, name: call.name, input: call.arguments } : { type: "text", text };
  const message = {
    id: `msg_${randomUUID()}`,
    type: "message",
    role: "assistant",
    model: body.model,
    content: [block],
    stop_reason: call ? "tool_use" : "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 10, output_tokens: 10, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 },
  };
  if (!body.stream) {
    json(response, message);
    return;
  }
  const events = sse(response);
  events.named("message_start", { message: { ...message, content: [], stop_reason: null } });
  events.named("content_block_start", { index: 0, content_block: call ? { ...block, input: {} } : { type: "text", text: "" } });
  const delta = (what) => events.named("content_block_delta", { index: 0, delta: what });
  if (call) {
    delta({ type: "input_json_delta", partial_json: JSON.stringify(block.input) });
  } else {
    await spoken({ text, pieces, between }, (piece) => delta({ type: "text_delta", text: piece }));
  }
  events.named("content_block_stop", { index: 0 });
  events.named("message_delta", { delta: { stop_reason: message.stop_reason, stop_sequence: null }, usage: { output_tokens: 10 } });
  events.named("message_stop", {});
  events.end();
}
