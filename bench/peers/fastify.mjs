// The peer of the RPC benchmarks: Fastify as its documentation sets it up with zod, the same handlers, the same answers.
import Fastify from "fastify";

import { contract, handlers } from "../plugin/task.mjs";

const app = Fastify();

app.setValidatorCompiler(({ schema }) => (data) => {
  const parsed = schema.safeParse(data);
  return parsed.success ? { value: parsed.data } : { error: parsed.error };
});
app.setSerializerCompiler(({ schema }) => (data) => {
  const parsed = schema.safeParse(data);
  if (!parsed.success) {
    throw parsed.error;
  }
  return JSON.stringify({ ok: true, result: parsed.data });
});

for (const [name, { input, output }] of Object.entries(contract)) {
  app.post(`/rpc/${name}`, { schema: { body: input, response: { 200: output } } }, async (request, reply) => {
    reply.header("cache-control", "no-store");
    return handlers[name](request.body);
  });
}

const url = await app.listen({ host: "127.0.0.1", port: 0 });
console.log(`listening on ${url}`);
process.on("SIGTERM", () => process.exit(0));
