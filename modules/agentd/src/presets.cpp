#include "presets.h"

#include <algorithm>
#include <array>

namespace svc::agentd {
namespace {

// clang-format off
constexpr std::array kPresets{
    Preset{"opencode", "OpenCode", "opencode", "acp", "", "", "", "npm install -g opencode-ai"},
    Preset{"claude", "Claude Code", "claude-agent-acp", "", "", "default", "bypassPermissions",
           "npm install -g @agentclientprotocol/claude-agent-acp"},
    Preset{"codex", "Codex", "codex-acp", "", "", "workspace-write", "agent-full-access",
           "npm install -g @agentclientprotocol/codex-acp"},
    Preset{"gemini", "Gemini CLI", "gemini", "--acp", "", "default", "yolo", "npm install -g @google/gemini-cli"},
    // Without the variable it describes to the model only the tools of servers that have answered by the start of a session, which is none.
    Preset{"qwen", "Qwen Code", "qwen", "--acp", "QWEN_CODE_LEGACY_MCP_BLOCKING=1", "default", "yolo", "npm install -g @qwen-code/qwen-code"},
    Preset{"copilot", "GitHub Copilot", "copilot", "--acp", "", "#agent", "#autopilot", "npm install -g @github/copilot"},
    Preset{"goose", "Goose", "goose", "acp", "", "", "", "install goose from its releases"},
    Preset{"kimi", "Kimi", "kimi", "acp", "", "", "", "uv tool install kimi-cli"},
    Preset{"cursor", "Cursor", "cursor-agent", "acp", "", "", "", "install cursor-agent from its releases"},
    Preset{"cline", "Cline", "cline", "--acp", "", "", "", "npm install -g cline"},
    Preset{"kilo", "Kilo Code", "kilo", "acp", "", "", "", "npm install -g @kilocode/cli"},
    Preset{"vibe", "Mistral Vibe", "vibe-acp", "", "", "", "", "uv tool install mistral-vibe"},
    Preset{"auggie", "Auggie", "auggie", "--acp", "AUGMENT_DISABLE_AUTO_UPDATE=1", "", "", "npm install -g @augmentcode/auggie"},
    Preset{"droid", "Droid", "droid", "exec --output-format acp-daemon", "", "", "", "npm install -g droid"},
    Preset{"junie", "Junie", "junie", "--acp=true", "", "", "", "install junie from its releases"},
    Preset{"qoder", "Qoder", "qodercli", "--acp", "", "", "", "npm install -g @qoder-ai/qodercli"},
    Preset{"grok", "Grok", "grok", "agent stdio", "", "", "", "npm install -g @xai-official/grok"},
    Preset{"pi", "Pi", "pi-acp", "", "", "", "", "npm install -g pi-acp", false},
    Preset{"fast-agent", "fast-agent", "fast-agent-acp", "-x", "", "", "", "uv tool install fast-agent-acp"},
};
// clang-format on

}  // namespace

std::span<const Preset> presets() { return kPresets; }

const Preset* findPreset(std::string_view id) {
  const auto* found = std::find_if(kPresets.begin(), kPresets.end(),
                                   [id](const Preset& preset) { return preset.id == id; });
  return found == kPresets.end() ? nullptr : found;
}

}  // namespace svc::agentd
