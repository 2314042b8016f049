import { defineRpcContract, type SvcPluginApi } from "@get-svc/plugin-sdk";
import { z } from "zod";

const snippet = z.object({ id: z.string(), title: z.string(), text: z.string() });
export type Snippet = z.infer<typeof snippet>;

export const rpcContract = defineRpcContract({ snippets: { input: null, output: z.array(snippet) } });

export default function promptKit(svc: SvcPluginApi): void {
  const settings = svc.settings.define({
    snippets: {
      type: "string",
      label: "Snippets",
      description: "One in a line: title, a colon, and the text.",
      experimental_multiline: true,
      default: "Review: Review the latest change and name what could break.\nExplain: Explain how this project starts, step by step.",
    },
  });
  // Windows show the snippets as they are now.
  settings.onChange(() => svc.realtime.publish("snippets-changed", null));
  svc.rpc.register(rpcContract, {
    snippets: async () =>
      (await settings.get()).snippets
        .split("\n")
        .map((line) => /^([^:]+):\s*(\S.*)$/.exec(line))
        .flatMap((match, index) => (match ? [{ id: String(index), title: match[1]!.trim(), text: match[2]! }] : [])),
  });
}
