import type { SvcPluginApi } from "@get-svc/plugin-sdk";

import { hostContract } from "./contract";

export default function plugin(svc: SvcPluginApi): void {
  const hosts = svc.hosts.experimental_client({ contract: hostContract });

  svc.cli.register({
    name: "{{id}}",
    summary: "Ask your machines something",
    commands: [{ name: "load", summary: "How much memory a machine has free", usage: "svc {{id}} load [machine]" }],
    async run([command, machine], { signal }) {
      if (command !== "load") {
        return { exitCode: 2, stderr: "Usage: svc {{id}} load [machine]\n" };
      }
      const all = await svc.sdk.hosts.list();
      const found = machine === undefined ? all[0] : all.find(({ id, name }) => id === machine || name === machine);
      if (found === undefined) {
        return { exitCode: 1, stderr: `There is no machine ${machine ?? "yet"}: svc machine list\n` };
      }
      const { system, cores, freeBytes, totalBytes } = await hosts.call("load", undefined, { hostId: found.id, signal });
      const gib = (bytes: number) => (bytes / 1024 ** 3).toFixed(1);
      return { exitCode: 0, stdout: `${found.name}: ${system}, ${cores} cores, ${gib(freeBytes)} of ${gib(totalBytes)} GiB free\n` };
    },
  });
}
