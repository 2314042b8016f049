import { z } from "zod";

import { gives, refuses } from "../attempt.ts";

const output = z.any();
const ok = () => 1;

export const rpc = [
  refuses("a contract that is text", "rpc.register: contract must be an object of methods", (svc) => svc.rpc.register("x", {})),
  refuses("handlers that are missing", "rpc.register: handlers must be an object of functions", (svc) => svc.rpc.register({})),
  refuses(
    "a method name with a blank",
    'rpc.register: "a b" is not a method name (dotted segments of letters, digits, "-" and "_")',
    (svc) => svc.rpc.register({ "a b": { input: null, output } }, { "a b": ok }),
  ),
  refuses("a method that is registered", 'rpc.register: duplicate name "echo"', (svc) =>
    svc.rpc.register({ echo: { input: null, output } }, { echo: ok }),
  ),
  refuses("a method that is no object", 'rpc.register: method "a" must be an object { input, output }', (svc) =>
    svc.rpc.register({ a: 1 }, { a: ok }),
  ),
  refuses("an input that is no validator", 'rpc.register: input of "a" must be a Standard Schema v1 validator or null', (svc) =>
    svc.rpc.register({ a: { input: {}, output } }, { a: ok }),
  ),
  refuses("an output that is null", 'rpc.register: output of "a" must be a Standard Schema v1 validator', (svc) =>
    svc.rpc.register({ a: { input: null, output: null } }, { a: ok }),
  ),
  refuses("a method without a handler", 'rpc.register: method "a" has no handler function', (svc) =>
    svc.rpc.register({ a: { input: null, output } }, {}),
  ),
  refuses("a handler without a method", 'rpc.register: handler "b" has no method in the contract', (svc) =>
    svc.rpc.register({ a: { input: null, output } }, { a: ok, b: ok }),
  ),
  refuses("options that are text", "rpc.register: options must be an object", (svc) =>
    svc.rpc.register({ a: { input: null, output } }, { a: ok }, "all"),
  ),
  refuses("a published name that is not there", 'rpc.register: experimental_published names "b", which is not in the contract', (svc) =>
    svc.rpc.register({ a: { input: null, output } }, { a: ok }, { experimental_published: ["b"] }),
  ),
  refuses("a published number", "rpc.register: experimental_published must be a boolean or an array of method names", (svc) =>
    svc.rpc.register({ a: { input: null, output } }, { a: ok }, { experimental_published: 1 }),
  ),
  gives("a field from the future, which is a problem", null, (svc) =>
    svc.rpc.register({ later: { input: null, output, streaming: true } }, { later: ok }, { cached: true }),
  ),
];

const kLarge = 1024 * 1024;

export const realtime = [
  refuses("an empty channel", "realtime.publish: the channel must be a non-empty string", (svc) => svc.realtime.publish("")),
  refuses("a channel that is a number", "realtime.publish: the channel must be a non-empty string", (svc) => svc.realtime.publish(7)),
  refuses("a date", "realtime.publish: the payload is not JSON: payload.at is an instance of Date, not a plain object", (svc) =>
    svc.realtime.publish("x", { at: new Date(0) }),
  ),
  refuses(
    "a payload over the limit",
    `realtime.publish: the payload has ${kLarge + 1} bytes as JSON, the limit signalPayload is ${kLarge}; publish less and refetch over RPC`,
    (svc) => svc.realtime.publish("x", "a".repeat(kLarge - 1)),
  ),
  gives("signals in order, undefined as null", null, (svc) => {
    svc.realtime.publish("first", { n: 1 });
    svc.realtime.publish("second");
    svc.realtime.publish("first", ["é", null]);
  }),
];
