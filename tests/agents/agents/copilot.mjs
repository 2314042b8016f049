// Copilot CLI: chat completions, MCP 2026-07-28.
export const copilot = {
  name: "copilot",
  package: "@github/copilot",
  revision: "2026-07-28",
  setUp: ({ model }) => ({
    COPILOT_PROVIDER_BASE_URL: `${model}/v1`,
    COPILOT_PROVIDER_API_KEY: "scripted",
    COPILOT_MODEL: "scripted",
    COPILOT_OFFLINE: "true",
    COPILOT_AUTO_UPDATE: "false",
  }),
  argv: (program, prompt) => [program("copilot"), "--allow-all-tools", "--prompt", prompt],
};
