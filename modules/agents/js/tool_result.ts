/** What `execute` of a tool may return, as the host gets it. */
import { kindOf } from "../../plugins/js/policy/arguments";
import { kToolResult } from "./limits";

const { stringify } = JSON;
const { byteLength } = Buffer;

const kBase64 = /^[A-Za-z0-9+/]*={0,2}$/;

type Part = { type: "text"; text: string } | { type: "image"; data: string; mimeType: string };
type Refuse = (reason: string) => never;

/** "0" or "1" (isError), a line break, the content as JSON. `refuse` gets what is wrong with the result. */
export function readResult(result: unknown, refuse: Refuse): string {
  const { content, isError } = parts(result, refuse);
  const text = stringify(content);
  const bytes = byteLength(text);
  if (bytes > kToolResult) {
    refuse(`it returned ${bytes} bytes, the limit toolResult is ${kToolResult}`);
  }
  return `${isError ? "1" : "0"}\n${text}`;
}

function parts(result: unknown, refuse: Refuse): { content: Part[]; isError: boolean } {
  if (typeof result === "string") {
    return { content: [{ type: "text", text: result }], isError: false };
  }
  if (typeof result !== "object" || result === null) {
    refuse(`it returned ${kindOf(result)}, expected a string or an object { content, isError? }`);
  }
  const { content, isError } = result as { content?: unknown; isError?: unknown };
  if (!Array.isArray(content)) {
    refuse(`it returned an object whose content is ${kindOf(content)}, expected an array of text and image parts`);
  }
  if (isError !== undefined && typeof isError !== "boolean") {
    refuse(`it returned an isError that is ${kindOf(isError)}, expected a boolean`);
  }
  return { content: (content as unknown[]).map((part, index) => readPart(part, index, refuse)), isError: isError === true };
}

function isBase64(text: string): boolean {
  return text.length % 4 === 0 && kBase64.test(text);
}

function readPart(part: unknown, index: number, refuse: Refuse): Part {
  const { type, text, data, mimeType } = (typeof part === "object" && part !== null ? part : {}) as Record<string, unknown>;
  if (type === "text" && typeof text === "string") {
    return { type, text };
  }
  if (type === "image" && typeof data === "string" && typeof mimeType === "string") {
    // Clients check this, and one that finds it wrong gives its agent nothing at all.
    if (!isBase64(data)) {
      refuse(`data of content[${index}] of its result is no base64`);
    }
    return { type, data, mimeType };
  }
  return refuse(`content[${index}] of its result is neither { type: "text", text } nor { type: "image", data, mimeType }`);
}
