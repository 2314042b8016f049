#include "mcp_setup/mcp_clients.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "mcp_setup/toml_block.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;

/// The directory that a variable names, else one below the home directory.
fs::path directory(const Environment& environment, const char* variable, const char* below_home) {
  const auto value = environment.variable(variable);
  return value && !value->empty() ? fs::path(*value) : environment.home / below_home;
}

fs::path claudeFile(const Environment& environment) {
  return directory(environment, "CLAUDE_CONFIG_DIR", "") / ".claude.json";
}
fs::path codexFile(const Environment& environment) {
  return directory(environment, "CODEX_HOME", ".codex") / "config.toml";
}
fs::path geminiFile(const Environment& environment) {
  return environment.home / ".gemini/settings.json";
}
fs::path opencodeFile(const Environment& environment) {
  const auto where = directory(environment, "XDG_CONFIG_HOME", ".config") / "opencode";
  std::error_code ignored;
  return fs::exists(where / "opencode.jsonc", ignored) &&
                 !fs::exists(where / "opencode.json", ignored)
             ? where / "opencode.jsonc"
             : where / "opencode.json";
}
fs::path qwenFile(const Environment& environment) {
  return environment.home / ".qwen/settings.json";
}
fs::path copilotFile(const Environment& environment) {
  return directory(environment, "COPILOT_HOME", ".copilot") / "mcp-config.json";
}
fs::path codeFile(const Environment& environment) {
#ifdef __APPLE__
  return environment.home / "Library/Application Support/Code/User/mcp.json";
#else
  return directory(environment, "XDG_CONFIG_HOME", ".config") / "Code/User/mcp.json";
#endif
}
fs::path cursorFile(const Environment& environment) {
  return environment.home / ".cursor/mcp.json";
}

Json words(const std::vector<std::string>& all, std::size_t from = 0) {
  auto list = Json::array();
  for (auto at = from; at < all.size(); ++at) {
    list.push(all[at]);
  }
  return list;
}

Json environmentOf(const McpConnection& connection) {
  return Json::object().set("SVC_MCP_TOKEN", connection.secret);
}
Json headersOf(const McpConnection& connection) {
  return Json::object().set("Authorization", "Bearer " + connection.secret);
}

/// Adds program, arguments and environment, or address and headers.
Json& addConnection(Json& entry, const McpConnection& connection, const char* url) {
  if (connection.command.empty()) {
    entry.set(url, connection.url);
    if (!connection.secret.empty()) {
      entry.set("headers", headersOf(connection));
    }
    return entry;
  }
  entry.set("command", connection.command[0]).set("args", words(connection.command, 1));
  if (!connection.secret.empty()) {
    entry.set("env", environmentOf(connection));
  }
  return entry;
}

/// `{ type: "stdio", … }` or `{ type: "http", … }`
Json typedEntry(const McpConnection& connection) {
  auto entry = Json::object().set("type", connection.command.empty() ? "http" : "stdio");
  return addConnection(entry, connection, "url");
}

Json geminiEntry(const McpConnection& connection) {
  auto entry = Json::object();
  return addConnection(entry, connection, "httpUrl");
}

Json opencodeEntry(const McpConnection& connection) {
  auto entry = Json::object().set("type", connection.command.empty() ? "remote" : "local");
  if (connection.command.empty()) {
    entry.set("url", connection.url);
  } else {
    entry.set("command", words(connection.command));
  }
  entry.set("enabled", true);
  if (!connection.secret.empty()) {
    if (connection.command.empty()) {
      entry.set("headers", headersOf(connection));
    } else {
      entry.set("environment", environmentOf(connection));
    }
  }
  return entry;
}

Json copilotEntry(const McpConnection& connection) {
  auto entry = Json::object().set("type", connection.command.empty() ? "http" : "local");
  return addConnection(entry, connection, "url").set("tools", Json::Array{"*"});
}

constexpr std::array<McpClientKind, 8> kKinds{{
    {"claude", "Claude Code", "claude", claudeFile, ".mcp.json", false, "mcpServers", typedEntry,
     "Start Claude Code again; /mcp shows the server."},
    {"codex", "Codex", "codex", codexFile, ".codex/config.toml", true, "mcp_servers", nullptr,
     "Start Codex again; /mcp shows the server. It reads the file of a project it trusts only."},
    {"gemini", "Gemini CLI", "gemini", geminiFile, ".gemini/settings.json", false, "mcpServers",
     geminiEntry,
     "Start Gemini CLI again; /mcp shows the server. It starts servers in trusted folders only."},
    {"opencode", "OpenCode", "opencode", opencodeFile, "opencode.json", false, "mcp", opencodeEntry,
     "Start OpenCode again."},
    {"qwen", "Qwen Code", "qwen", qwenFile, ".qwen/settings.json", false, "mcpServers", geminiEntry,
     "Start Qwen Code again; /mcp shows the server."},
    {"copilot", "Copilot CLI", "copilot", copilotFile, ".github/mcp.json", false, "mcpServers",
     copilotEntry, "Start Copilot CLI again; /mcp show lists the server."},
    {"vscode", "VS Code", "code", codeFile, ".vscode/mcp.json", false, "servers", typedEntry,
     "VS Code asks whether to trust the server; \"MCP: List Servers\" shows it."},
    {"cursor", "Cursor", "cursor", cursorFile, ".cursor/mcp.json", false, "mcpServers",
     genericMcpEntry, "Cursor's settings list the server under MCP."},
}};

std::string inlineTable(const Json& object) {
  std::string out;
  for (const auto& [name, value] : object.members()) {
    out += (out.empty() ? "" : ", ") + name + " = " + tomlString(value.asString());
  }
  return "{ " + out + " }";
}

std::string tomlWords(const std::vector<std::string>& all, std::size_t from) {
  std::string out;
  for (auto at = from; at < all.size(); ++at) {
    out += (out.empty() ? "" : ", ") + tomlString(all[at]);
  }
  return "[" + out + "]";
}

std::vector<std::string> tomlLines(const McpConnection& connection) {
  std::vector<std::string> lines;
  if (connection.command.empty()) {
    lines.push_back("url = " + tomlString(connection.url));
    if (!connection.secret.empty()) {
      lines.push_back("http_headers = " + inlineTable(headersOf(connection)));
    }
    return lines;
  }
  lines.push_back("command = " + tomlString(connection.command[0]));
  lines.push_back("args = " + tomlWords(connection.command, 1));
  if (!connection.secret.empty()) {
    lines.push_back("env = " + inlineTable(environmentOf(connection)));
  }
  // In a thread it takes this server in place of the thread's own, and gives it nothing of its environment but what is named.
  lines.push_back(R"(env_vars = ["SVC_SERVER_URL", "SVC_THREAD_ID", "SVC_THREAD_TOKEN"])");
  return lines;
}

}  // namespace

std::span<const McpClientKind> mcpClientKinds() { return kKinds; }

const McpClientKind* findMcpClientKind(const std::string& id) {
  const auto* const found = std::find_if(kKinds.begin(), kKinds.end(),
                                         [&](const McpClientKind& kind) { return kind.id == id; });
  return found == kKinds.end() ? nullptr : found;
}

Json genericMcpEntry(const McpConnection& connection) {
  auto entry = Json::object();
  return addConnection(entry, connection, "url");
}

Result<Edit> setMcpEntry(const McpClientKind& kind, const std::string& text,
                         const McpConnection& connection, bool force) {
  return kind.toml
             ? setTomlTable(text, kind.container, kMcpServerName, tomlLines(connection), force)
             : setJsonMember(text, kind.container, kMcpServerName, kind.entry(connection), force);
}

Result<Edit> removeMcpEntry(const McpClientKind& kind, const std::string& text, bool force) {
  if (kind.toml) {
    return removeTomlTable(text, kind.container, kMcpServerName, force);
  }
  const auto json = Json::parseRelaxed(text);
  const auto* const entry = json ? json.value()[kind.container].find(kMcpServerName) : nullptr;
  if (entry != nullptr && !force && !reachesService(entry->dump())) {
    return Error{
        errc::kConflict,
        fmt::format("its entry \"{}\" is for something else than the service", kMcpServerName)};
  }
  return removeJsonMember(text, kind.container, kMcpServerName);
}

bool reachesService(const std::string& text) {
  constexpr std::string_view kArgument = "\"mcp\"";
  auto at = text.find(kArgument);
  // A client may call the member that has the servers so.
  while (at != std::string::npos && text.substr(at + kArgument.size(), 1) == ":") {
    at = text.find(kArgument, at + 1);
  }
  return at != std::string::npos || text.find("/api/v1/mcp\"") != std::string::npos;
}

bool hasMcpEntry(const McpClientKind& kind, const std::string& text) {
  if (kind.toml) {
    return text.find(std::string(kind.container) + "." + kMcpServerName) != std::string::npos;
  }
  const auto json = Json::parseRelaxed(text);
  return json && json.value()[kind.container].find(kMcpServerName) != nullptr;
}

std::string mcpSnippet(const McpClientKind& kind, const McpConnection& connection) {
  const auto edit = setMcpEntry(kind, "", connection, false);
  return edit ? edit.value().text : std::string();
}

}  // namespace svc::client
