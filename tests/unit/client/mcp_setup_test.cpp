// `svc mcp setup` on files of its own.
#include <sys/stat.h>

#include <algorithm>

#include "client_fixture.h"
#include "commands/commands.h"
#include "mcp_setup/mcp_clients.h"
#include "temp_tree.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;
using ::testing::HasSubstr;
using ::testing::Not;

class McpSetupTest : public ClientTest {
 protected:
  McpSetupTest() {
    home = tree.path() / "home";
    working_dir = (tree.path() / "project").string();
  }
  int setup(const McpSetupOptions& options) {
    out.str("");
    err.str("");
    auto made = context();
    return mcpSetup(made, options);
  }
  Json json(const std::string& file) const {
    auto parsed = Json::parseRelaxed(tree.read(file));
    return parsed ? std::move(parsed).value() : Json();
  }

  TempTree tree;
};

struct Case {
  const char* id;
  const char* own;
  const char* project;
  const char* stdio;
  const char* http;
};

constexpr Case kCases[] = {
    {"claude", ".claude.json", ".mcp.json",
     R"({"mcpServers":{"svc":{"type":"stdio","command":"svc","args":["mcp"],"env":{"SVC_MCP_TOKEN":"s"}}}})",
     R"({"mcpServers":{"svc":{"type":"http","url":"http://127.0.0.1:4700/api/v1/mcp","headers":{"Authorization":"Bearer s"}}}})"},
    {"gemini", ".gemini/settings.json", ".gemini/settings.json",
     R"({"mcpServers":{"svc":{"command":"svc","args":["mcp"],"env":{"SVC_MCP_TOKEN":"s"}}}})",
     R"({"mcpServers":{"svc":{"httpUrl":"http://127.0.0.1:4700/api/v1/mcp","headers":{"Authorization":"Bearer s"}}}})"},
    {"opencode", ".config/opencode/opencode.json", "opencode.json",
     R"({"mcp":{"svc":{"type":"local","command":["svc","mcp"],"enabled":true,"environment":{"SVC_MCP_TOKEN":"s"}}}})",
     R"({"mcp":{"svc":{"type":"remote","url":"http://127.0.0.1:4700/api/v1/mcp","enabled":true,"headers":{"Authorization":"Bearer s"}}}})"},
    {"qwen", ".qwen/settings.json", ".qwen/settings.json",
     R"({"mcpServers":{"svc":{"command":"svc","args":["mcp"],"env":{"SVC_MCP_TOKEN":"s"}}}})",
     R"({"mcpServers":{"svc":{"httpUrl":"http://127.0.0.1:4700/api/v1/mcp","headers":{"Authorization":"Bearer s"}}}})"},
    {"copilot", ".copilot/mcp-config.json", ".github/mcp.json",
     R"({"mcpServers":{"svc":{"type":"local","command":"svc","args":["mcp"],"env":{"SVC_MCP_TOKEN":"s"},"tools":["*"]}}})",
     R"({"mcpServers":{"svc":{"type":"http","url":"http://127.0.0.1:4700/api/v1/mcp","headers":{"Authorization":"Bearer s"},"tools":["*"]}}})"},
    {"vscode", ".config/Code/User/mcp.json", ".vscode/mcp.json",
     R"({"servers":{"svc":{"type":"stdio","command":"svc","args":["mcp"],"env":{"SVC_MCP_TOKEN":"s"}}}})",
     R"({"servers":{"svc":{"type":"http","url":"http://127.0.0.1:4700/api/v1/mcp","headers":{"Authorization":"Bearer s"}}}})"},
    {"cursor", ".cursor/mcp.json", ".cursor/mcp.json",
     R"({"mcpServers":{"svc":{"command":"svc","args":["mcp"],"env":{"SVC_MCP_TOKEN":"s"}}}})",
     R"({"mcpServers":{"svc":{"url":"http://127.0.0.1:4700/api/v1/mcp","headers":{"Authorization":"Bearer s"}}}})"},
};

TEST_F(McpSetupTest, EveryClientHasItsForm) {
  const McpConnection stdio{.command = {"svc", "mcp"}, .url = {}, .secret = "s"};
  const McpConnection by_address{
      .command = {}, .url = "http://127.0.0.1:4700/api/v1/mcp", .secret = "s"};
  for (const auto& each : kCases) {
    const auto* const kind = findMcpClientKind(each.id);
    ASSERT_NE(kind, nullptr) << each.id;
    EXPECT_EQ(Json::parse(mcpSnippet(*kind, stdio)).value().dump(), each.stdio);
    EXPECT_EQ(Json::parse(mcpSnippet(*kind, by_address)).value().dump(), each.http);
  }
  EXPECT_EQ(mcpSnippet(*findMcpClientKind("codex"), stdio),
            "# >>> svc mcp setup\n[mcp_servers.svc]\ncommand = \"svc\"\nargs = [\"mcp\"]\n"
            "env = { SVC_MCP_TOKEN = \"s\" }\n"
            "env_vars = [\"SVC_SERVER_URL\", \"SVC_THREAD_ID\", \"SVC_THREAD_TOKEN\"]\n"
            "# <<< svc mcp setup\n");
  EXPECT_EQ(mcpSnippet(*findMcpClientKind("codex"), by_address),
            "# >>> svc mcp setup\n[mcp_servers.svc]\nurl = \"http://127.0.0.1:4700/api/v1/mcp\"\n"
            "http_headers = { Authorization = \"Bearer s\" }\n# <<< svc mcp setup\n");
}

TEST_F(McpSetupTest, EveryClientHasItsFiles) {
  for (const auto& each : kCases) {
    EXPECT_EQ(setup({.client = each.id, .write = true}), 0) << err.str();
    EXPECT_EQ(setup({.client = each.id, .write = true, .project = true}), 0) << err.str();
    EXPECT_TRUE(tree.has(std::string("home/") + each.own)) << each.id;
    EXPECT_TRUE(tree.has(std::string("project/") + each.project)) << each.id;
  }
  EXPECT_EQ(setup({.client = "codex", .write = true}), 0);
  EXPECT_TRUE(tree.has("home/.codex/config.toml"));
}

TEST_F(McpSetupTest, VariablesOfClientsAreFollowed) {
  for (const auto& [name, value] :
       {std::pair{"CLAUDE_CONFIG_DIR", "c"}, std::pair{"CODEX_HOME", "x"},
        std::pair{"COPILOT_HOME", "o"}, std::pair{"XDG_CONFIG_HOME", "g"}}) {
    variables[name] = (tree.path() / value).string();
  }
  for (const char* id : {"claude", "codex", "copilot", "opencode", "vscode"}) {
    EXPECT_EQ(setup({.client = id, .write = true}), 0);
  }
  for (const char* file : {"c/.claude.json", "x/config.toml", "o/mcp-config.json",
                           "g/opencode/opencode.json", "g/Code/User/mcp.json"}) {
    EXPECT_TRUE(tree.has(file)) << file;
  }
}

TEST_F(McpSetupTest, WithoutWriteNothingIsWritten) {
  EXPECT_EQ(setup({.client = "claude"}), 0);
  EXPECT_THAT(out.str(), HasSubstr(R"("command": "/nowhere/svc")"));
  EXPECT_THAT(err.str(), HasSubstr("Add this to " + (tree.path() / "home/.claude.json").string()));
  EXPECT_FALSE(tree.has("home/.claude.json"));
}

TEST_F(McpSetupTest, TheFileIsKeptBesideItself) {
  tree.write("home/.claude.json", "{\n  \"projects\": {} // mine\n}\n");
  ASSERT_EQ(::chmod((tree.path() / "home/.claude.json").c_str(), 0644), 0);
  EXPECT_EQ(setup({.client = "claude", .write = true}), 0);
  EXPECT_EQ(tree.read("home/.claude.json.before-svc"), "{\n  \"projects\": {} // mine\n}\n");
  EXPECT_THAT(tree.read("home/.claude.json"), HasSubstr("\"projects\": {}, // mine\n"));
  EXPECT_THAT(out.str(), HasSubstr("Added mcpServers.svc in "));
  struct stat info {};
  ASSERT_EQ(::stat((tree.path() / "home/.claude.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0644U);
  const auto before = tree.read("home/.claude.json");
  EXPECT_EQ(setup({.client = "claude", .write = true}), 0);
  EXPECT_THAT(out.str(), HasSubstr("nothing is changed"));
  EXPECT_EQ(tree.read("home/.claude.json"), before);
}

TEST_F(McpSetupTest, ANewFileIsForItsOwner) {
  EXPECT_EQ(setup({.client = "cursor", .write = true}), 0);
  struct stat info {};
  ASSERT_EQ(::stat((tree.path() / "home/.cursor/mcp.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0600U);
  EXPECT_FALSE(tree.has("home/.cursor/mcp.json.before-svc"));
}

TEST_F(McpSetupTest, LinksAreFollowed) {
  tree.write("dotfiles/config.toml", "model = \"x\"\n");
  fs::create_directories(tree.path() / "home/.codex");
  fs::create_symlink(tree.path() / "dotfiles/config.toml", tree.path() / "home/.codex/config.toml");
  EXPECT_EQ(setup({.client = "codex", .write = true}), 0);
  EXPECT_TRUE(fs::is_symlink(tree.path() / "home/.codex/config.toml"));
  EXPECT_THAT(tree.read("dotfiles/config.toml"), HasSubstr("[mcp_servers.svc]"));
}

TEST_F(McpSetupTest, NoLinkLeadsOutOfAProject) {
  fs::create_directories(tree.path() / "outside");
  tree.write("outside/config.toml", "");
  fs::create_directories(tree.path() / "project/.codex");
  fs::create_directories(tree.path() / "project/inside");
  fs::create_directory_symlink(tree.path() / "outside", tree.path() / "project/.vscode");
  fs::create_directory_symlink(tree.path() / "gone", tree.path() / "project/.gemini");
  fs::create_directory_symlink("inside", tree.path() / "project/.cursor");
  fs::create_symlink("../../outside/config.toml", tree.path() / "project/.codex/config.toml");
  for (const char* client : {"vscode", "codex"}) {
    EXPECT_EQ(setup({.client = client, .write = true, .project = true, .token = "t"}), 1);
    EXPECT_THAT(err.str(), HasSubstr(" stays as it is: a link leads out of the project: " +
                                     (tree.path() / "outside").string()));
  }
  EXPECT_NE(setup({.client = "gemini", .write = true, .project = true}), 0);
  EXPECT_FALSE(tree.has("gone"));
  EXPECT_FALSE(tree.has("outside/mcp.json"));
  EXPECT_EQ(tree.read("outside/config.toml"), "");
  EXPECT_EQ(setup({.client = "cursor", .write = true, .project = true}), 0) << err.str();
  EXPECT_TRUE(tree.has("project/inside/mcp.json"));
}

TEST_F(McpSetupTest, ALinkToNothingStays) {
  fs::create_directories(tree.path() / "home/.codex");
  fs::create_symlink(tree.path() / "gone/config.toml", tree.path() / "home/.codex/config.toml");
  EXPECT_EQ(setup({.client = "codex", .write = true}), 1);
  EXPECT_THAT(err.str(), HasSubstr("config.toml stays as it is: it is a link to "));
  EXPECT_TRUE(fs::is_symlink(tree.path() / "home/.codex/config.toml"));
}

TEST_F(McpSetupTest, AReadOnlyFileStays) {
  tree.write("home/.cursor/mcp.json", "{}");
  fs::permissions(tree.path() / "home/.cursor/mcp.json", fs::perms::owner_read);
  EXPECT_EQ(setup({.client = "cursor", .write = true}), 1);
  EXPECT_THAT(err.str(), HasSubstr("stays as it is: it is read-only"));
  EXPECT_EQ(tree.read("home/.cursor/mcp.json"), "{}");
}

TEST_F(McpSetupTest, WhatIsNoFileIsNotWaitedFor) {
  fs::create_directories(tree.path() / "home/.cursor");
  ASSERT_EQ(::mkfifo((tree.path() / "home/.cursor/mcp.json").c_str(), 0600), 0);
  EXPECT_EQ(setup({.client = "cursor", .write = true}), 1);
  EXPECT_THAT(err.str(), HasSubstr("is no file"));
  EXPECT_EQ(setup({}), 0);
}

TEST_F(McpSetupTest, AnotherEntryStays) {
  const std::string text = R"({"mcpServers":{"svc":{"command":"mine"}}})";
  tree.write("home/.cursor/mcp.json", text);
  EXPECT_EQ(setup({.client = "cursor", .write = true}), 4);
  EXPECT_THAT(err.str(), HasSubstr("hint: --force replaces it"));
  EXPECT_EQ(tree.read("home/.cursor/mcp.json"), text);
  EXPECT_EQ(setup({.client = "cursor", .write = true, .force = true}), 0);
  EXPECT_EQ(json("home/.cursor/mcp.json")["mcpServers"]["svc"]["command"].asString(),
            "/nowhere/svc");
  EXPECT_EQ(tree.read("home/.cursor/mcp.json.before-svc"), text);
}

TEST_F(McpSetupTest, AnEntryOfHandIsReplacedWhenAskedTo) {
  const std::string text = "model = \"x\"\n[mcp_servers.svc]\ncommand=\"z\"\n";
  tree.write("home/.codex/config.toml", text);
  EXPECT_EQ(setup({.client = "codex", .write = true}), 4);
  EXPECT_THAT(err.str(), HasSubstr("line 2 has mcp_servers.svc already, written by hand"));
  EXPECT_THAT(err.str(), HasSubstr("hint: --force replaces it"));
  EXPECT_EQ(tree.read("home/.codex/config.toml"), text);
  EXPECT_EQ(setup({.client = "codex", .write = true, .force = true}), 0) << err.str();
  EXPECT_THAT(out.str(), HasSubstr("Replaced mcp_servers.svc in "));
  EXPECT_THAT(tree.read("home/.codex/config.toml"), Not(HasSubstr("\"z\"")));
  EXPECT_EQ(tree.read("home/.codex/config.toml.before-svc"), text);
  EXPECT_EQ(setup({.client = "codex", .write = true}), 0) << "a second time changes nothing";
}

TEST_F(McpSetupTest, WhatCannotBeReadStays) {
  tree.write("home/.cursor/mcp.json", "{ nonsense");
  EXPECT_EQ(setup({.client = "cursor", .write = true}), 1);
  EXPECT_THAT(err.str(), HasSubstr("stays as it is: it is not JSON"));
  EXPECT_EQ(tree.read("home/.cursor/mcp.json"), "{ nonsense");
}

TEST_F(McpSetupTest, ATokenIsMadeWhenNothingElseIsInTheWay) {
  tree.write("home/.cursor/mcp.json", R"({"mcpServers":{"svc":{"command":"mine"}}})");
  EXPECT_EQ(setup({.client = "cursor", .write = true, .token = "cursor"}), 4);
  expectPost("/api/v1/mcp/tokens", R"({"ok":true,"token":{},"secret":"svc_mcp_abc"})", 201);
  EXPECT_EQ(setup({.client = "cursor", .write = true, .force = true, .token = "cursor"}), 0);
  EXPECT_EQ(requests.back().body, R"({"name":"cursor"})");
  EXPECT_EQ(json("home/.cursor/mcp.json")["mcpServers"]["svc"]["env"]["SVC_MCP_TOKEN"].asString(),
            "svc_mcp_abc");
  EXPECT_THAT(out.str() + err.str(), Not(HasSubstr("svc_mcp_abc")));
}

TEST_F(McpSetupTest, TheSameCommandWithATokenChangesNothing) {
  for (const char* client : {"cursor", "codex"}) {
    SCOPED_TRACE(client);
    expectPost("/api/v1/mcp/tokens", R"({"ok":true,"token":{},"secret":"svc_mcp_abc"})", 201);
    EXPECT_EQ(setup({.client = client, .write = true, .token = client}), 0);
    expectGet("/api/v1/mcp/tokens",
              std::string(R"({"ok":true,"tokens":[{"id":"m","name":")") + client + "\"}]}");
    const auto made = requests.size();
    EXPECT_EQ(setup({.client = client, .write = true, .token = client}), 0);
    EXPECT_THAT(out.str(), HasSubstr("has this entry already: nothing is changed"));
    EXPECT_EQ(requests.size(), made + 1) << "no token is made";
    EXPECT_EQ(setup({.client = client, .write = true, .http = true, .token = client}), 4);
  }
}

TEST_F(McpSetupTest, AnEntryWhoseTokenWasRevokedGetsAnother) {
  expectPost("/api/v1/mcp/tokens", R"({"ok":true,"token":{},"secret":"svc_mcp_abc"})", 201);
  EXPECT_EQ(setup({.client = "cursor", .write = true, .token = "cursor"}), 0);
  expectGet("/api/v1/mcp/tokens", R"({"ok":true,"tokens":[{"id":"m","name":"other"}]})");
  expectPost("/api/v1/mcp/tokens", R"({"ok":true,"token":{},"secret":"svc_mcp_def"})", 201);
  out.str("");
  EXPECT_EQ(setup({.client = "cursor", .write = true, .token = "cursor"}), 0);
  EXPECT_THAT(out.str(), HasSubstr("Replaced "));
  const auto text = tree.read("home/.cursor/mcp.json");
  EXPECT_THAT(text, HasSubstr("svc_mcp_def"));
  EXPECT_THAT(text, Not(HasSubstr("svc_mcp_abc")));
}

constexpr const char* kTaken =
    R"({"ok":false,"error":{"code":"conflict","message":"there is a token \"cursor\" already"}})";

TEST_F(McpSetupTest, ATokenThatIsThereIsMadeAnewWhenAskedTo) {
  const std::string tokens =
      R"({"ok":true,"tokens":[{"id":"mct_0","name":"x"},{"id":"mct_1","name":"cursor",)"
      R"("restricted":true,"plugins":["todo"],"tools":[]}]})";
  expectPost("/api/v1/mcp/tokens", kTaken, 409);
  expectGet("/api/v1/mcp/tokens", tokens);
  EXPECT_EQ(setup({.client = "cursor", .write = true, .token = "cursor"}), 1);
  EXPECT_THAT(err.str(), HasSubstr("hint: --force revokes it and makes it anew"));
  EXPECT_FALSE(tree.has("home/.cursor/mcp.json"));

  expectPost("/api/v1/mcp/tokens", kTaken, 409);
  expectGet("/api/v1/mcp/tokens", tokens);
  expect("DELETE", "/api/v1/mcp/tokens/mct_1", HttpResponse{200, R"({"ok":true,"token":{}})"});
  expectPost("/api/v1/mcp/tokens", R"({"ok":true,"token":{},"secret":"svc_mcp_new"})", 201);
  EXPECT_EQ(setup({.client = "cursor", .write = true, .force = true, .token = "cursor"}), 0);
  EXPECT_EQ(requests.back().body, R"({"name":"cursor","plugins":["todo"]})") << "for the same";
  EXPECT_THAT(err.str(), HasSubstr("the token \"cursor\" was there already: it is revoked"));
  EXPECT_EQ(json("home/.cursor/mcp.json")["mcpServers"]["svc"]["env"]["SVC_MCP_TOKEN"].asString(),
            "svc_mcp_new");
}

TEST_F(McpSetupTest, TheLimitOfTokensRevokesNone) {
  expectPost("/api/v1/mcp/tokens", kTaken, 409);
  expectGet("/api/v1/mcp/tokens", R"({"ok":true,"tokens":[{"id":"mct_0","name":"x"}]})");
  EXPECT_EQ(setup({.client = "cursor", .write = true, .force = true, .token = "cursor"}), 1);
  EXPECT_FALSE(tree.has("home/.cursor/mcp.json"));
}

TEST_F(McpSetupTest, OptionsNeedAClientAndAnAddressIsOne) {
  EXPECT_EQ(setup({.write = true}), 2);
  EXPECT_EQ(setup({.token = "x"}), 2);
  EXPECT_THAT(err.str(), HasSubstr("for which client?"));
  variables["SVC_SERVER_URL"] = "garbage";
  EXPECT_EQ(setup({.client = "cursor", .write = true}), 2);
  EXPECT_EQ(setup({.client = "cursor", .write = true, .http = true}), 2);
  EXPECT_THAT(err.str(), HasSubstr("\"garbage\" is not a server address"));
  EXPECT_FALSE(tree.has("home/.cursor/mcp.json"));
}

TEST_F(McpSetupTest, AFileWithATokenIsForItsOwner) {
  tree.write("home/.cursor/mcp.json", "{}");
  ASSERT_EQ(::chmod((tree.path() / "home/.cursor/mcp.json").c_str(), 0644), 0);
  expectPost("/api/v1/mcp/tokens", R"({"ok":true,"token":{},"secret":"svc_mcp_abc"})", 201);
  EXPECT_EQ(setup({.client = "cursor", .write = true, .token = "cursor"}), 0);
  EXPECT_THAT(err.str(), HasSubstr("had the mode 0644, with which others can read it"));
  struct stat info {};
  ASSERT_EQ(::stat((tree.path() / "home/.cursor/mcp.json").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  expectPost("/api/v1/mcp/tokens", R"({"ok":true,"token":{},"secret":"svc_mcp_def"})", 201);
  EXPECT_EQ(setup({.client = "cursor", .write = true, .force = true, .token = "other"}), 0);
  EXPECT_EQ(err.str(), "") << "it is its owner's already";
}

TEST_F(McpSetupTest, TheFirstCopyIsTheOneThatStays) {
  tree.write("home/.cursor/mcp.json", "{\"mine\":1}");
  EXPECT_EQ(setup({.client = "cursor", .write = true}), 0);
  variables["SVC_SERVER_URL"] = "http://127.0.0.1:5000";
  EXPECT_EQ(setup({.client = "cursor", .write = true, .force = true}), 0);
  EXPECT_EQ(tree.read("home/.cursor/mcp.json.before-svc"), "{\"mine\":1}");
  EXPECT_THAT(out.str(), HasSubstr("; as it was at first: "));
}

TEST_F(McpSetupTest, AFileThatItHasMadeIsNotKeptAsWhatWasThereAtFirst) {
  for (const char* client : {"cursor", "codex", "opencode"}) {
    variables.erase("SVC_SERVER_URL");
    EXPECT_EQ(setup({.client = client, .write = true}), 0);
    variables["SVC_SERVER_URL"] = "http://127.0.0.1:5000";
    EXPECT_EQ(setup({.client = client, .write = true, .force = true}), 0);
    EXPECT_THAT(out.str(), HasSubstr("Replaced "));
    EXPECT_THAT(out.str(), Not(HasSubstr("as it was at first")));
    EXPECT_EQ(setup({.client = client, .write = true, .http = true, .force = true}), 0);
    EXPECT_THAT(out.str(), Not(HasSubstr("as it was at first")));
  }
  EXPECT_FALSE(tree.has("home/.cursor/mcp.json.before-svc"));
  EXPECT_FALSE(tree.has("home/.codex/config.toml.before-svc"));
  const std::string text =
      "{\n  \"mcpServers\": {\n    \"svc\": {\n      \"command\": \"mine\"\n    }\n  }\n}\n";
  tree.write("home/.cursor/mcp.json", text);
  EXPECT_EQ(setup({.client = "cursor", .write = true, .force = true}), 0);
  EXPECT_EQ(tree.read("home/.cursor/mcp.json.before-svc"), text) << "somebody else's entry";
  tree.write("home/.config/opencode/opencode.json",
             "{\n  \"mcp\": {\n    \"svc\": {\n      \"type\": \"mine\"\n    }\n  }\n}\n");
  EXPECT_EQ(setup({.client = "opencode", .write = true, .force = true}), 0);
  EXPECT_TRUE(tree.has("home/.config/opencode/opencode.json.before-svc"));
}

TEST_F(McpSetupTest, TheCopyOfAFileIsForThoseWhoCouldReadIt) {
  tree.write("home/.cursor/mcp.json", R"({"mcpServers":{"other":{"env":{"KEY":"secret"}}}})");
  ASSERT_EQ(::chmod((tree.path() / "home/.cursor/mcp.json").c_str(), 0600), 0);
  EXPECT_EQ(setup({.client = "cursor", .write = true}), 0);
  struct stat info {};
  ASSERT_EQ(::stat((tree.path() / "home/.cursor/mcp.json.before-svc").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
}

TEST_F(McpSetupTest, NoSecretOfItsOwnIsKeptAsWhatWasThereAtFirst) {
  expectPost("/api/v1/mcp/tokens", R"({"ok":true,"token":{},"secret":"svc_mcp_abc"})", 201);
  EXPECT_EQ(setup({.client = "cursor", .write = true, .token = "one"}), 0);
  expectPost("/api/v1/mcp/tokens", R"({"ok":true,"token":{},"secret":"svc_mcp_def"})", 201);
  EXPECT_EQ(setup({.client = "cursor", .write = true, .force = true, .token = "two"}), 0);
  EXPECT_FALSE(tree.has("home/.cursor/mcp.json.before-svc"));
  EXPECT_THAT(out.str(), ::testing::Not(HasSubstr("as it was at first")));
}

TEST_F(McpSetupTest, TheFileOfAProjectIsForOtherMachinesToo) {
  variables["SVC_DATA_DIR"] = "data";
  EXPECT_EQ(setup({.client = "claude", .write = true, .project = true}), 0);
  EXPECT_THAT(tree.read("project/.mcp.json"), ::testing::Not(HasSubstr("--")));
  EXPECT_THAT(err.str(), HasSubstr("SVC_DATA_DIR of this shell does not go into the file"));
  auto made = context();
  made.choice.data_dir = "other";
  err.str("");
  EXPECT_EQ(mcpSetup(made, {.client = "claude", .write = true, .project = true, .force = true}), 0);
  EXPECT_THAT(tree.read("project/.mcp.json"), HasSubstr("--data-dir"));
  EXPECT_THAT(err.str(), HasSubstr("names this machine's server"));
}

TEST_F(McpSetupTest, ATokenThatIsRefusedChangesNothing) {
  expectPost("/api/v1/mcp/tokens", R"({"ok":false,"error":{"code":"internal","message":"no"}})",
             500);
  EXPECT_NE(setup({.client = "cursor", .write = true, .token = "cursor"}), 0);
  EXPECT_FALSE(tree.has("home/.cursor/mcp.json"));
}

TEST_F(McpSetupTest, ASecretInAProjectIsPointedOut) {
  expectPost("/api/v1/mcp/tokens", R"({"ok":true,"token":{},"secret":"svc_mcp_abc"})", 201);
  EXPECT_EQ(setup({.client = "claude", .write = true, .project = true, .token = "x"}), 0);
  EXPECT_THAT(err.str(), HasSubstr("keep it out of version control"));
  EXPECT_EQ(json("project/.mcp.json")["mcpServers"]["svc"]["command"].asString(), "svc");
}

TEST_F(McpSetupTest, TheServerThatIsChosenGoesAlong) {
  auto made = context();
  made.choice = {.server = "http://127.0.0.1:5000", .data_dir = "data"};
  EXPECT_EQ(mcpSetup(made, {.client = "generic"}), 0);
  EXPECT_EQ(
      Json::parse(out.str()).value()["mcpServers"]["svc"]["args"].dump(),
      R"(["mcp","--server","http://127.0.0.1:5000","--data-dir",")" + working_dir + R"(/data"])");
}

TEST_F(McpSetupTest, TheServerOfTheVariablesGoesAlong) {
  variables["SVC_SERVER_URL"] = "";
  variables["SVC_DATA_DIR"] = "data";
  EXPECT_EQ(setup({.client = "generic"}), 0);
  const auto args = [this] {
    return Json::parse(out.str()).value()["mcpServers"]["svc"]["args"].dump();
  };
  EXPECT_EQ(args(), R"(["mcp","--data-dir",")" + working_dir + R"(/data"])");
  variables["SVC_SERVER_URL"] = "http://127.0.0.1:5000";
  variables["SVC_DATA_DIR"] = "";
  EXPECT_EQ(setup({.client = "generic"}), 0);
  EXPECT_EQ(args(), R"(["mcp","--server","http://127.0.0.1:5000"])");
  auto made = context();
  made.choice.data_dir = "other";
  out.str("");
  EXPECT_EQ(mcpSetup(made, {.client = "generic"}), 0);
  EXPECT_EQ(args(), R"(["mcp","--data-dir",")" + working_dir + R"(/other"])");
}

TEST_F(McpSetupTest, TheAddressIsTheOneOfTheServer) {
  variables["SVC_SERVER_URL"] = "http://127.0.0.1:4711/";
  EXPECT_EQ(setup({.client = "generic", .http = true}), 0);
  EXPECT_THAT(out.str(), HasSubstr("http://127.0.0.1:4711/api/v1/mcp"));
}

TEST_F(McpSetupTest, NobodyKnowsTheFileOfAnyOtherClient) {
  EXPECT_EQ(setup({.client = "generic", .write = true}), 2);
}

TEST_F(McpSetupTest, ATokenForWhatIsNotThereIsMadeWithAWarning) {
  expectGet(
      "/api/v1/plugins",
      R"({"ok":true,"plugins":[{"id":"todo","cliCommand":{"name":"todo"},"capabilities":[{"kind":"agent-tool","id":"notes_add"}]}]})");
  expectPost("/api/v1/mcp/tokens", R"({"ok":true,"token":{},"secret":"svc_mcp_abc"})", 201);
  auto made = context();
  EXPECT_EQ(mcpTokenCreate(made, {.name = "x",
                                  .plugins = {"todo", "tod"},
                                  .tools = {"notes_add", "cli_todo", "notes_ad", "quite_other"}}),
            0);
  EXPECT_EQ(out.str(), "svc_mcp_abc\n");
  EXPECT_THAT(err.str(), HasSubstr("there is no plugin \"tod\" now; did you mean \"todo\"?"));
  EXPECT_THAT(err.str(), HasSubstr("no tool \"notes_ad\" now; did you mean \"notes_add\"?"));
  EXPECT_THAT(err.str(), HasSubstr("no tool \"quite_other\" now\n"));
  EXPECT_THAT(err.str(), Not(HasSubstr("\"cli_todo\" now")));
}

TEST_F(McpSetupTest, TheListSaysWhatIsThere) {
  tree.write("bin/codex", "");
  ASSERT_EQ(::chmod((tree.path() / "bin/codex").c_str(), 0755), 0);
  tree.write("bin/gemini", "");  // not executable
  variables["PATH"] = ":/nowhere:" + (tree.path() / "bin").string();
  ASSERT_EQ(setup({.client = "cursor", .write = true, .project = true}), 0);
  auto made = context();
  made.console.json = true;
  out.str("");
  EXPECT_EQ(mcpSetup(made, {}), 0);
  const auto listed = Json::parse(out.str()).value();
  for (const auto& client : listed["clients"].items()) {
    const auto& id = client["id"].asString();
    EXPECT_EQ(client["program"].asString(),
              id == "codex" ? (tree.path() / "bin/codex").string() : "")
        << id;
    EXPECT_EQ(client["configured"].items().size(), id == "cursor" ? 1U : 0U) << id;
  }
}

TEST_F(McpSetupTest, WhatWasWrittenIsTakenOut) {
  const std::string before = "{\n  \"mcpServers\": {\n    \"other\": {}\n  }\n}\n";
  tree.write("home/.claude.json", before);
  ASSERT_EQ(setup({.client = "claude", .write = true}), kExitOk);
  ASSERT_NE(tree.read("home/.claude.json"), before);
  EXPECT_EQ(setup({.client = "claude", .remove = true}), kExitOk);
  EXPECT_THAT(out.str(), HasSubstr("Removed mcpServers.svc from "));
  EXPECT_EQ(tree.read("home/.claude.json"), before);
  EXPECT_EQ(setup({.client = "claude", .remove = true}), kExitOk);
  EXPECT_THAT(out.str(), HasSubstr("has no entry for the service: nothing is changed"));
  // Nothing is made of what is not there.
  EXPECT_EQ(setup({.client = "gemini", .remove = true}), kExitOk);
  EXPECT_FALSE(fs::exists(home / ".gemini"));
}

TEST_F(McpSetupTest, AnEntryOfSomebodyElseIsTakenOutByForceAlone) {
  tree.write("home/.claude.json", R"({"mcpServers":{"svc":{"command":"mine"}}})");
  EXPECT_EQ(setup({.client = "claude", .remove = true}), kExitRefused);
  EXPECT_THAT(err.str(), HasSubstr("is for something else than the service"));
  EXPECT_THAT(err.str(), HasSubstr("--force removes it"));
  EXPECT_EQ(setup({.client = "claude", .remove = true, .force = true}), kExitOk);
  EXPECT_EQ(tree.read("home/.claude.json"), R"({"mcpServers":{}})");
  EXPECT_EQ(setup({.client = "generic", .remove = true}), kExitUsage);
}

TEST_F(McpSetupTest, ATokenThatIsLeftBehindIsNamed) {
  tree.write(
      "home/.claude.json",
      R"({"mcpServers":{"svc":{"url":"http://a/api/v1/mcp","headers":{"Authorization":"Bearer svc_mcp_x"}}}})");
  EXPECT_EQ(setup({.client = "claude", .remove = true}), kExitOk);
  EXPECT_THAT(err.str(), HasSubstr("`svc mcp token revoke` ends it"));
  EXPECT_THAT(out.str(), Not(HasSubstr("svc_mcp_x")));
}

}  // namespace
}  // namespace svc::client
