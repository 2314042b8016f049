// A model that says what a script tells it to, in the dialects of the model APIs that agents speak: nothing an agent does in a test
// depends on a real one. Loopback only.
import { createServer } from "node:http";

import * as anthropic from "./model/anthropic.mjs";
import * as chat from "./model/chat.mjs";
import * as gemini from "./model/gemini.mjs";
import * as responses from "./model/responses.mjs";

const kDialects = [anthropic, responses, chat, gemini];

async function bodyOf(request) {
  let text = "";
  for await (const piece of request) {
    text += piece;
  }
  return text === "" ? {} : JSON.parse(text);
}

/**
 * `script` is a Script (model/script.mjs). A dialect has `handles(path)`, `read(body, path)`, which makes of a request what all
 * have in common, and `write(response, turn, { body, path })`, which says `{ text, pieces?, between? }` or `{ call: { name, namespace, arguments } }`.
 */
export async function startModel(script) {
  async function say(dialect, response, turn, request) {
    if (turn.fails !== undefined) {
      refuse(response, turn.fails);
    } else if (turn.hangs) {
      // It thinks until nobody listens any more.
      await new Promise((gone) => response.once("close", gone));
      turn.hangs.leave?.();
    } else {
      await dialect.write(response, turn, request);
    }
  }
  const log = [];
  const server = createServer((request, response) => {
    void (async () => {
      const path = new URL(request.url, "http://model").pathname;
      const body = request.method === "POST" ? await bodyOf(request) : {};
      const dialect = kDialects.find(({ handles }) => request.method === "POST" && handles(path));
      log.push({ method: request.method, path, body });
      if (dialect) {
        await say(dialect, response, script.turn(dialect.read(body, path)), { body, path });
      } else if (path.endsWith("/models")) {
        json(response, { object: "list", data: [{ id: "scripted", object: "model", created: 0, owned_by: "svc" }] });
      } else if (/count_?tokens$/i.test(path)) {
        json(response, { input_tokens: 1, totalTokens: 1 });
      } else {
        json(response, { error: { message: `the scripted model has no ${request.method} ${path}` } }, 404);
      }
    })().catch((error) => {
      script.problems.push(`the model failed: ${error.stack}`);
      response.destroy();
    });
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    /** Every request, for whoever has to find out what an agent wants. */
    log,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export function json(response, value, status = 200) {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
}

/** One body with what each dialect looks for in a failure; 400 is one that no agent tries again. */
function refuse(response, message) {
  const error = { type: "invalid_request_error", code: 400, status: "INVALID_ARGUMENT", message, param: null };
  json(response, { type: "error", error }, 400);
}
