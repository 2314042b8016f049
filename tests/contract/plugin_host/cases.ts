import { agents, background } from "./cases/agents.ts";
import { cli, rpc, settings } from "./cases/calls.ts";
import { lifecycle } from "./cases/lifecycle.ts";
import { http, sockets } from "./cases/web.ts";

export type { Case } from "./cases/case.ts";

export const cases = { rpc, settings, cli, http, sockets, background, agents, lifecycle };
