// Gemini CLI: generateContent, MCP 2025-06-18.
import { writeFiles } from "../lib/files.mjs";

export const gemini = {
  name: "gemini",
  package: "@google/gemini-cli",
  revision: "2025-06-18",
  acp: { provider: "gemini", name: "gemini", file: "gemini", forgets: true, hidesArguments: true },
  setUp({ home, model }) {
    writeFiles(home, {
      ".gemini/settings.json": {
        security: { auth: { selectedType: "gemini-api-key" } },
        general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
        privacy: { usageStatisticsEnabled: false },
        telemetry: { enabled: false },
      },
    });
    return { GEMINI_API_KEY: "scripted", GOOGLE_GEMINI_BASE_URL: model, GEMINI_CLI_TRUST_WORKSPACE: "true" };
  },
  argv: (program, prompt) => [program("gemini"), "--model", "gemini-2.5-pro", "--approval-mode", "yolo", "--prompt", prompt],
};
