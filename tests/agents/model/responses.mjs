// Responses API.
import { randomUUID } from "node:crypto";

import { json } from "../model_server.mjs";
import { plainText, spoken, sse } from "./sse.mjs";

export const handles = (path) => path.endsWith("/responses");

export function read({ input = [], instructions = "", tools = [] }) {
  const items = typeof input === "string" ? [{ type: "message", role: "user", content: input }] : input;
  const messages = items.filter(({ type = "message" }) => type === "message");
  return {
    said: messages
      .filter(({ role }) => role === "user")
      .map(({ content }) => plainText(content))
      .join("\n"),
    // Tools of one server are in a namespace, which is named again when one is called.
    tools: tools.flatMap((tool) =>
      tool.type === "namespace"
        ? tool.tools.map(({ name, parameters }) => ({ name, namespace: tool.name, parameters }))
        : tool.type === "function"
          ? [{ name: tool.name, parameters: tool.parameters }]
          : [],
    ),
    uses: items
      .filter(({ type }) => type?.endsWith("_call_output"))
      .map(({ call_id, output }) => {
        const used = items.find((item) => item.call_id === call_id && item.type === "function_call");
        return { name: used?.name, arguments: JSON.parse(used?.arguments ?? "{}"), result: plainText(output?.content ?? output) };
      }),
    text: instructions + messages.map(({ content }) => plainText(content)).join("\n"),
  };
}

export async function write(response, { text, pieces, between, call }, { body }) {
  const item = call
    ? {
        type: "function_call",
        id: `fc_${randomUUID()}`,
        call_id: `call_${randomUUID()}`,
        name: call.name,
        ...(call.namespace && { namespace: call.namespace }),
        arguments: JSON.stringify(call.arguments),
        status: "completed",
      }
    : {
        type: "message",
        id: `msg_${randomUUID()}`,
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text, annotations: [] }],
      };
  const answer = {
    id: `resp_${randomUUID()}`,
    object: "response",
    created_at: Math.floor(Date.now() / 1_000),
    model: body.model,
    status: "completed",
    output: [item],
    usage: {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 10,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 20,
    },
  };
  if (!body.stream) {
    json(response, answer);
    return;
  }
  const events = sse(response);
  events.named("response.created", { response: { ...answer, status: "in_progress", output: [], usage: null } });
  events.named("response.output_item.added", { output_index: 0, item: { ...item, status: "in_progress" } });
  if (!call) {
    await spoken({ text, pieces, between }, (delta) =>
      events.named("response.output_text.delta", { item_id: item.id, output_index: 0, content_index: 0, delta }),
    );
  }
  events.named("response.output_item.done", { output_index: 0, item });
  events.named("response.completed", { response: answer });
  events.end();
}
