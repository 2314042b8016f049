// The server's end of a daemon's session, as far as agents need it: opens sessions, asks commands, keeps what it is told.
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";

import { WebSocketServer } from "ws";

const kWaitMs = 30_000;

/** @typedef {{ seq: number, turnId: string | null, type: string, data: any }} AgentEvent */

export class PlayedServer extends EventEmitter {
  /** Everything that was told, by session. @type {Map<string, AgentEvent[]>} */
  events = new Map();
  #requests = 0;
  #sessions = 0;
  /** @type {Map<string, (answer: any) => void>} */
  #asked = new Map();
  /** @type {import("ws").WebSocket | undefined} */
  #socket;
  #http = createServer((request, response) => {
    request.resume();
    const body = {
      sessionId: `s${++this.#sessions}`,
      heartbeatIntervalMs: 5000,
      leaseTimeoutMs: 30_000,
      pluginHostGenerations: [],
      watchSet: { generation: 0 },
      connectShares: { generation: 0, ports: [] },
      retiredEnvironmentIds: [],
    };
    const known = request.url?.endsWith("/internal/session/open");
    response.writeHead(known ? 201 : 404, { "content-type": "application/json" }).end(JSON.stringify({ ok: known, ...body }));
  });

  async start() {
    const sockets = new WebSocketServer({ server: this.#http, handleProtocols: (offered) => [...offered][0] });
    sockets.on("connection", (socket) => {
      this.#socket = socket;
      socket.on("message", (data) => this.#take(JSON.parse(String(data))));
      this.emit("connected");
    });
    this.#http.listen(0, "127.0.0.1");
    await once(this.#http, "listening");
    return `http://127.0.0.1:${/** @type {import("node:net").AddressInfo} */ (this.#http.address()).port}`;
  }

  stop() {
    this.#socket?.terminate();
    this.#http.close();
    this.#http.closeAllConnections();
  }

  /** Cuts the connection and waits for the next one. */
  async cut() {
    const again = once(this, "connected", { signal: AbortSignal.timeout(kWaitMs) });
    this.#socket?.terminate();
    await again;
  }

  /** @param {any} message */
  #take(message) {
    if (message.type === "heartbeat") {
      this.#socket?.send(JSON.stringify({ type: "heartbeat-ack" }));
    } else if (message.type === "host-rpc.response") {
      this.#asked.get(message.requestId)?.(message);
      this.#asked.delete(message.requestId);
    } else if (message.type === "agent.events") {
      const known = this.events.get(message.sessionId) ?? [];
      this.events.set(message.sessionId, known);
      known.push(...message.events.filter(({ seq }) => seq > (known.at(-1)?.seq ?? 0)));
      this.emit("events");
    }
  }

  /** @param {string} type @param {object} members @returns {Promise<any>} */
  async ask(type, members) {
    const requestId = `r${++this.#requests}`;
    const answered = new Promise((resolve) => this.#asked.set(requestId, resolve));
    this.#socket?.send(JSON.stringify({ type: "host-rpc.request", requestId, command: { type, ...members } }));
    const answer = await answered;
    return answer.ok ? answer.result : Promise.reject(new Error(`${answer.errorCode}: ${answer.errorMessage}`));
  }

  /** @param {object} message */
  tell(message) {
    this.#socket?.send(JSON.stringify(message));
  }

  /** @param {string} sessionId */
  last(sessionId) {
    return this.events.get(sessionId)?.at(-1)?.seq ?? 0;
  }

  /** The data of the n-th event of this type. @param {string} sessionId @param {string} type @param {number} [times] */
  async told(sessionId, type, times = 1) {
    for (;;) {
      const found = (this.events.get(sessionId) ?? []).filter((event) => event.type === type);
      if (found.length >= times) {
        return found[times - 1].data;
      }
      await once(this, "events", { signal: AbortSignal.timeout(kWaitMs) });
    }
  }
}
