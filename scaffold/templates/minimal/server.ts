import type { SvcPluginApi } from "@get-svc/plugin-sdk";

const usage = "svc {{id}} hello [name]";

export default function plugin(svc: SvcPluginApi): void {
  svc.cli.register({
    name: "{{id}}",
    summary: "Say hello",
    commands: [{ name: "hello", summary: "Say hello", usage }],
    run([command, name = "world"]) {
      if (command !== "hello") {
        return { exitCode: 2, stderr: `Usage: ${usage}\n` };
      }
      svc.log.info(`hello ${name}`);
      return { exitCode: 0, stdout: `Hello, ${name}!\n` };
    },
  });
}
