// Codex: Responses API, MCP 2025-06-18.
import { writeFiles } from "../lib/files.mjs";

// In its own sandbox `svc` reaches no server; a model that knows asks to be let out, which is what a person is asked for.
const kOutside = { arguments: { sandbox_permissions: "require_escalated", justification: "svc talks to its server" } };

export const codex = {
  name: "codex",
  package: "@openai/codex",
  revision: "2025-06-18",
  acp: { provider: "codex", name: "codex-acp", file: "codex-acp", tellsErrorsAsText: true, shell: kOutside },
  setUp({ home, model }) {
    writeFiles(home, {
      ".codex/config.toml": [
        'model = "scripted"',
        'model_provider = "scripted"',
        "check_for_update_on_startup = false",
        "[analytics]",
        "enabled = false",
        // Each of these asks the maker's servers for something at the start.
        "[features]",
        "apps = false",
        "plugins = false",
        "remote_plugin = false",
        "[model_providers.scripted]",
        'name = "scripted"',
        `base_url = "${model}/v1"`,
        'wire_api = "responses"',
        'env_key = "SCRIPTED_KEY"',
        "",
      ].join("\n"),
    });
    return { SCRIPTED_KEY: "scripted" };
  },
  // Its own sandbox would keep `svc` from the server; and nobody is there to approve.
  argv: (program, prompt) => [program("codex"), "exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox", prompt],
};
