// generateContent.
import { json } from "../model_server.mjs";
import { plainText, spoken, sse } from "./sse.mjs";

export const handles = (path) => /:(streamGenerateContent|generateContent)$/.test(path);

export function read({ contents = [], systemInstruction, tools = [] }) {
  const parts = contents.flatMap(({ parts: all }) => all);
  return {
    said: plainText(contents.filter(({ role }) => role === "user").flatMap(({ parts: all }) => all)),
    tools: tools
      .flatMap(({ functionDeclarations = [] }) => functionDeclarations)
      .map(({ name, parametersJsonSchema, parameters }) => ({ name, parameters: parametersJsonSchema ?? parameters })),
    uses: parts
      .filter(({ functionResponse }) => functionResponse)
      .map(({ functionResponse: { name, response } }) => ({ name, result: response.output ?? response.error ?? JSON.stringify(response) })),
    text: plainText(systemInstruction?.parts) + plainText(parts),
  };
}

export async function write(response, { text, pieces, between, call }, { body, path }) {
  // Questions that want JSON are the agent's own, and have an answer for "I cannot say".
  const isJson = body.generationConfig?.responseMimeType === "application/json";
  const part = call ? { functionCall: { name: call.name, args: call.arguments } } : { text: isJson ? "{}" : text };
  const answer = {
    candidates: [{ index: 0, content: { role: "model", parts: [part] }, finishReason: "STOP" }],
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 10, totalTokenCount: 20 },
    modelVersion: "scripted",
  };
  if (path.endsWith(":generateContent")) {
    json(response, answer);
    return;
  }
  const events = sse(response);
  if (pieces && !isJson) {
    const partOf = (piece) => ({ index: 0, content: { role: "model", parts: [{ text: piece }] } });
    await spoken({ pieces, between }, (piece) => events.plain({ candidates: [partOf(piece)], modelVersion: "scripted" }));
    answer.candidates[0].content.parts = [{ text: "" }];
  }
  events.plain(answer);
  events.end();
}
