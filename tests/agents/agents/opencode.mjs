// OpenCode: chat completions, MCP 2025-11-25.
import { writeFiles } from "../lib/files.mjs";
import { versionOf } from "../lib/packages.mjs";

// It installs the package that its own plugins import, unless that is there; nobody here has such plugins.
const kInstalled = { dependencies: { "@opencode-ai/plugin": versionOf("opencode") } };

export const opencode = {
  name: "opencode",
  package: "opencode-ai",
  revision: "2025-11-25",
  acp: { provider: "opencode", name: "opencode", file: "opencode" },
  setUp({ home, model, asks }) {
    writeFiles(home, {
      ".config/opencode/package.json": kInstalled,
      ".config/opencode/package-lock.json": { lockfileVersion: 3, packages: { "": kInstalled } },
      ".config/opencode/node_modules/.keep": "",
      ".config/opencode/opencode.json": {
        autoupdate: false,
        share: "disabled",
        ...(asks && { permission: { bash: "ask" } }),
        model: "scripted/scripted",
        small_model: "scripted/scripted",
        provider: {
          scripted: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${model}/v1`, apiKey: "scripted" },
            models: { scripted: { name: "scripted", tool_call: true } },
          },
        },
      },
    });
    return { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" };
  },
  argv: (program, prompt) => [program("opencode"), "run", prompt],
};
