// Qwen Code: chat completions, MCP 2025-11-25.
import { writeFiles } from "../lib/files.mjs";

export const qwen = {
  name: "qwen",
  package: "@qwen-code/qwen-code",
  revision: "2025-11-25",
  acp: { provider: "qwen", name: "qwen", file: "qwen" },
  setUp({ home, model }) {
    writeFiles(home, {
      ".qwen/settings.json": {
        security: { auth: { selectedType: "openai" } },
        general: { enableAutoUpdate: false, disableAutoUpdate: true, disableUpdateNag: true },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      },
    });
    return { OPENAI_BASE_URL: `${model}/v1`, OPENAI_API_KEY: "scripted", OPENAI_MODEL: "scripted" };
  },
  argv: (program, prompt) => [program("qwen"), "--approval-mode", "yolo", "--prompt", prompt],
};
