import type { HostRuntime } from "../../jsruntime/js/runtime";
import type { PluginApi } from "../../plugins/js/plugin_api";
import { checkFunction, checkObject, ignoreUnknownFields, kindOf } from "../../plugins/js/policy/arguments";
import { Context } from "./context";
import { HeldBytes } from "./held_bytes";
import { Incoming, type RequestFacts } from "./incoming";
import { isOfClient, kCut, sendResponse } from "./outgoing";
import { buildSockets, type HandlersFactory } from "./sockets";
import { Turns } from "./turns";

export type Auth = "local" | "token" | "none";
type Handler = (context: Context) => unknown;

// Plugin code may replace globals; what the service relies on is taken before any of it runs.
const { parse, stringify } = JSON;

const kRoute = "http.route";
const kSocket = "http.experimental_websocket";
const kMethods: readonly unknown[] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
const kAuth: readonly unknown[] = ["local", "token", "none"];

/** `svc.http`, and the host's calls "http.request" (one request of one route) and those of js/sockets.ts. */
export default function httpPart(runtime: HostRuntime, api: PluginApi): void {
  const routes = new Map<string, Handler>();
  const sockets = buildSockets(runtime);
  const held = new HeldBytes(api);
  const turns = new Turns();

  function checkPath(member: string, path: unknown): string {
    if (typeof path !== "string") {
      api.fail(member, `the path must be a string, is ${kindOf(path)}`);
    }
    if (!path.startsWith("/")) {
      api.fail(member, `the path "${path}" must start with "/"`);
    }
    if (path.includes("\0")) {
      api.fail(member, "the path contains a null character");
    }
    return path;
  }

  function checkAuth(member: string, options: unknown): Auth {
    if (options === undefined) {
      return "local";
    }
    const { auth = "local" } = checkObject(api.fail, member, options, "options");
    if (!kAuth.includes(auth)) {
      api.fail(member, `auth must be "local", "token" or "none", is ${shown(auth)}`);
    }
    ignoreUnknownFields(api.problem, member, options as object, ["auth"], "options");
    return auth as Auth;
  }

  function route(method: unknown, path: unknown, handler: unknown, options?: unknown): void {
    const verb = typeof method === "string" ? method.toUpperCase() : method;
    if (!kMethods.includes(verb)) {
      api.fail(kRoute, `the method must be one of ${kMethods.join(", ")}, is ${shown(method)}`);
    }
    const key = `${verb as string} ${checkPath(kRoute, path)}`;
    checkFunction(api.fail, kRoute, handler, "the handler");
    const auth = checkAuth(kRoute, options);
    if (routes.has(key)) {
      api.fail(kRoute, `duplicate name "${key}"`);
    }
    routes.set(key, handler as Handler);
    runtime.callSync("http.addRoute", stringify({ method: verb, path, auth }));
  }

  function webSocket(path: unknown, factory: unknown, options?: unknown): void {
    const name = checkPath(kSocket, path);
    checkFunction(api.fail, kSocket, factory, "the second argument");
    const auth = checkAuth(kSocket, options);
    if (!sockets.add(name, factory as HandlersFactory)) {
      api.fail(kSocket, `duplicate name "${name}"`);
    }
    runtime.callSync("http.addSocket", stringify({ path, auth }));
  }

  // Meta: RequestFacts. Answers "" when the response is sent, "cut" when its connection is to be cut.
  runtime.handle("http.request", async (meta: string, _body: string, call) => {
    const facts = parse(meta) as RequestFacts;
    const incoming = new Incoming(runtime, facts, () => call.signal, held);
    const handler = routes.get(facts.route) as Handler;
    try {
      const turn = turns.enter();
      if (turn !== undefined) {
        await turn;
      }
      const response = await handler(new Context(incoming));
      return await sendResponse(runtime, facts, response, () => call.signal, held);
    } catch (failure) {
      // What the client did, leaving or sending a body that is refused, is not the plugin's failure.
      if (isOfClient(failure) && call.signal.aborted) {
        return kCut;
      }
      throw failure;
    } finally {
      incoming.release();
    }
  });

  api.svc.http = {
    route: api.guard(kRoute, route),
    experimental_websocket: api.guard(kSocket, webSocket),
  };
}

function shown(value: unknown): string {
  return typeof value === "string" ? `"${value}"` : kindOf(value);
}
