/** A stream of events; those of a dialect with names say their type in both places. */
export function sse(response) {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
  return {
    named: (type, data) => response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`),
    plain: (data) => response.write(`data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`),
    end: () => response.end(),
  };
}

/** Text of a content that is text, or parts. */
export const plainText = (content) =>
  typeof content === "string"
    ? content
    : (Array.isArray(content) ? content : []).map((part) => part.text ?? (part.type ? `(${part.type})` : "")).join("\n");

/** Says a text as a whole, or in pieces with the script's own time between them. */
export async function spoken({ text, pieces = [text], between }, say) {
  for (const [index, piece] of pieces.entries()) {
    if (index > 0) {
      await between?.();
    }
    say(piece);
  }
}
