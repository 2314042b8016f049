import { setTimeout as sleep } from "node:timers/promises";

/** The answer of the server under test; throws when it is none with `ok`. */
export async function api(server, path, body = undefined) {
  const response = await fetch(`${server.url}/api/v1${path}`, {
    method: body === undefined ? "GET" : "POST",
    headers: { "content-type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const answer = await response.json();
  if (!answer.ok) {
    throw new Error(`${path}: ${response.status} ${JSON.stringify(answer)}`);
  }
  return answer;
}

/** The result of a measurement that the plugin or its peer makes by itself. */
export async function post(url, body) {
  const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  const { ok, result: measured, error } = await response.json();
  if (ok !== true) {
    throw new Error(`${url}: ${error?.code}: ${error?.message}`);
  }
  return measured;
}

const kAgentMs = 30_000;

/** Waits until a machine offers the agent. */
export async function agentIsThere(server, agentId) {
  for (const end = performance.now() + kAgentMs; ; await sleep(200)) {
    const { providers } = await api(server, "/providers");
    if (providers.some(({ id, available }) => id === agentId && available)) {
      return;
    }
    if (performance.now() > end) {
      throw new Error(`the agent ${agentId} is not available: ${JSON.stringify(providers)}`);
    }
  }
}
