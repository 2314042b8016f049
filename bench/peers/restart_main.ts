// What `tsx watch` restarts: the plugin's server entry, started on a `svc` object that accepts everything.
import plugin from "./server";

const anything: unknown = new Proxy(function () {}, {
  get: (_target, key) => (key === "then" ? undefined : key === Symbol.toPrimitive ? () => "anything" : anything),
  apply: () => anything,
});

plugin(anything as Parameters<typeof plugin>[0]);
console.log("restarted");
