/** HTTP routes and WebSockets. */
import type { ContractHost, Socket } from "../host.ts";
import { type Case, handlerError, kJson, kText, unknownRoute, withSocket } from "./case.ts";

export const http: Case[] = [
  {
    name: "gives query and headers",
    run: (host) => host.http("GET", "/json?a=1&tag=x&tag=y%20z", { headers: { "x-in": "in" } }),
    gives: {
      status: 200,
      headers: { "content-type": kJson },
      body: { query: { a: "1", tag: "x" }, tags: ["x", "y z"], method: "GET", header: "in" },
    },
  },
  {
    name: "answers HEAD from GET",
    run: (host) => host.http("HEAD", "/missing"),
    gives: { status: 404, headers: { "content-type": kText }, body: "" },
  },
  {
    name: "says which methods a path takes",
    run: (host) => host.http("DELETE", "/json"),
    gives: unknownRoute('plugin "contract" has no DELETE /json; the path takes GET, HEAD', "GET, HEAD"),
  },
  {
    name: "does not know other paths",
    run: (host) => host.http("GET", "/json/"),
    gives: unknownRoute('plugin "contract" has no GET /json/'),
  },
  {
    name: "takes bytes as they are",
    run: (host) => host.http("POST", "/bytes", { body: new Uint8Array([0, 255, 128, 10]) }),
    gives: { status: 201, headers: { "content-type": "application/octet-stream" }, body: [0, 255, 128, 10] },
  },
  {
    name: "reads forms",
    run: (host) => host.http("POST", "/form", { body: new URLSearchParams({ name: "a b" }) }),
    gives: { status: 200, headers: { "content-type": kText }, body: "a b" },
  },
  {
    name: "keeps status and headers of the context",
    run: (host) => host.http("GET", "/set"),
    gives: { status: 202, headers: { "content-type": "text/html; charset=utf-8", "x-out": "é" }, body: "<p>" },
  },
  { name: "redirects", run: (host) => host.http("GET", "/away"), gives: { status: 302, headers: { location: "/x?é" }, body: "" } },
  {
    name: "answers not found",
    run: (host) => host.http("GET", "/missing"),
    gives: { status: 404, headers: { "content-type": kText }, body: "404 Not Found" },
  },
  {
    name: "compares the path once decoded, : and * as they are",
    run: (host) => host.http("GET", "/%61:b/*"),
    gives: { status: 200, headers: { "content-type": kText }, body: "/%61:b/*" },
  },
  { name: "answers a throw", run: (host) => host.http("GET", "/throw"), gives: handlerError("the route broke", { code: "broken" }) },
  {
    name: "refuses what is no response",
    run: (host) => host.http("GET", "/nothing"),
    gives: handlerError("the handler of GET /nothing must return a Response, for example c.json(value), but returned an object"),
  },
  {
    name: "refuses a status that is none",
    run: (host) => host.http("GET", "/odd"),
    gives: handlerError("the handler of GET /odd returned the status 99; it must be 200 to 599"),
  },
  { name: "answers without a body", run: (host) => host.http("DELETE", "/gone"), gives: { status: 204, headers: {}, body: "" } },
  { name: "streams", run: (host) => host.http("GET", "/stream"), gives: { status: 200, headers: {}, body: "one two three" } },
  {
    name: "knows a route that was registered later",
    run: (host) => host.http("GET", "/late"),
    gives: { status: 200, headers: { "content-type": kText }, body: "late" },
  },
];

/** After the greeting. */
const reply = (host: ContractHost, data: string | Uint8Array) =>
  withSocket(host, async (socket) => {
    await socket.next();
    await socket.send(data);
    const answer = await socket.next();
    await socket.close(1000, "");
    return answer;
  });

export const sockets: Case[] = [
  {
    name: "greets with query and headers",
    run: (host) => withSocket(host, async (socket) => [await socket.next(), await socket.close(1000, "")][0]),
    gives: "hello me in",
  },
  { name: "carries text", run: (host) => reply(host, "abc"), gives: "ABC" },
  { name: "carries bytes", run: (host) => reply(host, new Uint8Array([1, 2, 254])), gives: [2, 3, 255] },
  {
    name: "refuses a close code",
    run: (host) => reply(host, "bad code"),
    gives: "RangeError: socket.close: the code must be 1000 to 1014 or 3000 to 4999, is 999",
  },
  {
    name: "refuses data that is none",
    run: (host) => reply(host, "bad data"),
    gives: "TypeError: socket.send: the data must be a string or bytes, is an object",
  },
  {
    name: "is closed by the plugin",
    run: (host) =>
      withSocket(host, async (socket) => {
        await socket.next();
        await socket.send("close");
        return socket.closed;
      }),
    gives: { code: 4001, reason: "asked" },
  },
  {
    name: "closes when the plugin's function throws",
    run: async (host) => ((await host.socket("/refuses")) as Socket).closed,
    gives: { code: 1011, reason: "the plugin failed to accept the connection" },
  },
  {
    name: "does not know other sockets",
    run: (host) => host.socket("/json"),
    gives: { code: "unknown_route", message: 'plugin "contract" has no WebSocket /json' },
  },
];
