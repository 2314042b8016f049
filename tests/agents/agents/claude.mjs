// Claude Code: Messages API, MCP 2026-07-28.
import { writeFiles } from "../lib/files.mjs";

export const claude = {
  name: "claude",
  package: "@anthropic-ai/claude-code",
  revision: "2026-07-28",
  acp: { provider: "claude", name: "claude-acp", file: "claude-agent-acp" },
  setUp({ home, model }) {
    writeFiles(home, {
      // A first start asks for a theme and for trust in the folder.
      ".claude.json": { hasCompletedOnboarding: true, theme: "light" },
    });
    return {
      ANTHROPIC_BASE_URL: model,
      ANTHROPIC_API_KEY: "scripted",
      // With -p it asks the model at once, with the tools of those servers that have answered by then.
      MCP_CONNECTION_NONBLOCKING: "false",
      CLAUDE_CODE_MCP_STARTUP_WAIT_MS: "60000",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_TELEMETRY: "1",
      DISABLE_ERROR_REPORTING: "1",
    };
  },
  argv: (program, prompt) => [program("claude"), "-p", prompt, "--model", "scripted", "--allowedTools", "mcp__svc,Bash,Skill"],
};
