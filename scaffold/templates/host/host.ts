// Runs on each machine that is asked, in a process of its own. It cannot import the server entry.
import { availableParallelism, freemem, release, totalmem, type } from "node:os";

import { experimental_defineHostEntry } from "@get-svc/plugin-sdk/host";

import { hostContract } from "./contract";

export default experimental_defineHostEntry({
  contract: hostContract,
  handlers: {
    load: () => ({ system: `${type()} ${release()}`, cores: availableParallelism(), freeBytes: freemem(), totalBytes: totalmem() }),
  },
});
