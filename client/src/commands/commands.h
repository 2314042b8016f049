#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "dispatch.h"

/// One function per command; each returns the exit code.
namespace svc::client {

struct InstallOptions {
  std::string source{};
  bool yes = false;
  std::string subdirectory{};
  std::string entry{};  ///< of .svc/plugins.json; excludes `subdirectory`
  std::string tag_prefix{};
  bool no_wait = false;
};
[[nodiscard]] int pluginInstall(Context& context, const InstallOptions& options);
/// Of the options those that name a plugin.
[[nodiscard]] int pluginAbout(Context& context, const InstallOptions& options);
[[nodiscard]] int pluginInstallJobs(Context& context);
[[nodiscard]] int pluginCancelInstall(Context& context, const std::string& job);
[[nodiscard]] int pluginSource(Context& context, const std::string& id);
[[nodiscard]] int pluginOutdated(Context& context);
struct UpdateOptions {
  std::string id{};
  bool all = false;  ///< instead of `id`
  bool yes = false;
};
[[nodiscard]] int pluginUpdate(Context& context, const UpdateOptions& options);
[[nodiscard]] int pluginSearch(Context& context, const std::string& query);
[[nodiscard]] int pluginPrune(Context& context, bool dry_run);

[[nodiscard]] int marketplaceAdd(Context& context, const std::string& source);
[[nodiscard]] int marketplaceList(Context& context);
/// An empty name refreshes all.
[[nodiscard]] int marketplaceRefresh(Context& context, const std::string& name);
[[nodiscard]] int marketplaceRemove(Context& context, const std::string& name);

struct EnrollOptions {
  std::string name{};  ///< empty = as its daemon says
  std::string host{};  ///< name or id of a machine that gets another key; empty = a new machine
};
/// `host` is the name or the id of a machine.
[[nodiscard]] int machineList(Context& context);
[[nodiscard]] int machineShow(Context& context, const std::string& host);
[[nodiscard]] int machineEnroll(Context& context, const EnrollOptions& options);
[[nodiscard]] int machineRename(Context& context, const std::string& host, const std::string& name);
[[nodiscard]] int machineRemove(Context& context, const std::string& host, bool yes);
[[nodiscard]] int machineRetryUpdate(Context& context, const std::string& host);
[[nodiscard]] int machineProviders(Context& context);
[[nodiscard]] int machineCreate(Context& context, const std::string& provider);
/// `change` is a route of a machine: "suspend", "resume" or "retry-cleanup".
[[nodiscard]] int machineChange(Context& context, const std::string& host, const char* change);

/// A folder of a machine.
struct PlaceOptions {
  std::string path{};
  std::string machine{};  ///< name or id; empty = the server's own
};
/// `project` is a name or an id, `source` an id or a folder.
[[nodiscard]] int projectList(Context& context);
[[nodiscard]] int projectShow(Context& context, const std::string& project);
[[nodiscard]] int projectCreate(Context& context, const std::string& name,
                                const PlaceOptions& place);
[[nodiscard]] int projectRename(Context& context, const std::string& project,
                                const std::string& name);
[[nodiscard]] int projectDelete(Context& context, const std::string& project, bool yes);
[[nodiscard]] int projectSourceAdd(Context& context, const std::string& project,
                                   const PlaceOptions& place);
[[nodiscard]] int projectSourceDefault(Context& context, const std::string& project,
                                       const std::string& source);
[[nodiscard]] int projectSourceRemove(Context& context, const std::string& project,
                                      const std::string& source);
struct CloneOptions {
  std::string project{};
  std::string remote{};  ///< empty = the remote that the project knows
  PlaceOptions place{};  ///< an empty path is chosen by the machine
};
[[nodiscard]] int projectSourceClone(Context& context, const CloneOptions& options);
/// What is in a project's folder.
struct ContentOptions {
  std::string project{};
  std::string query{};
  std::string machine{};      ///< name or id; empty = that of the default source
  std::string environment{};  ///< id or name; instead of `machine`
  std::string kind{};         ///< "file" or "directory"; empty = both
  int limit = 0;              ///< 0 = the server's default
};
[[nodiscard]] int projectFiles(Context& context, const ContentOptions& options);
[[nodiscard]] int projectPaths(Context& context, const ContentOptions& options);
[[nodiscard]] int projectBranches(Context& context, const ContentOptions& options);

/// `environment` is an id or a name.
struct EnvironmentListOptions {
  std::string project{};  ///< name or id; empty = of all
  bool all = false;       ///< those that are gone, too
};
[[nodiscard]] int environmentList(Context& context, const EnvironmentListOptions& options);
[[nodiscard]] int environmentShow(Context& context, const std::string& environment);
[[nodiscard]] int environmentStatus(Context& context, const std::string& environment,
                                    const std::string& base);
struct DiffOptions {
  std::string environment{};
  bool committed = false;  ///< what the branch has
  bool all = false;        ///< that and what is not committed
  std::string commit{};
  std::string base{};  ///< branch to compare with; empty = as the environment says
  bool stat = false;   ///< the files alone
};
[[nodiscard]] int environmentDiff(Context& context, const DiffOptions& options);
/// An empty message is made from the title of the thread.
[[nodiscard]] int environmentCommit(Context& context, const std::string& environment,
                                    const std::string& message);
struct EnvironmentChange {
  std::optional<std::string> name{};  ///< empty clears
  std::optional<std::string> base{};
};
[[nodiscard]] int environmentUpdate(Context& context, const std::string& environment,
                                    const EnvironmentChange& change);
[[nodiscard]] int environmentRemove(Context& context, const std::string& environment, bool yes);
[[nodiscard]] int environmentPullRequest(Context& context, const std::string& environment);

/// `may_open` = a browser of this desktop, too.
[[nodiscard]] int openWindow(Context& context, bool may_open);
/// The server of this machine, running, with its window and what to do next.
[[nodiscard]] int up(Context& context, bool may_open);
/// What there is, and the first commands: for a person who types `svc` alone.
[[nodiscard]] int overview(Context& context);
struct DocsOptions {
  std::string page{};  ///< "guide/rpc" or "rpc"; empty = where they are
  bool list = false;   ///< of all pages
};
[[nodiscard]] int showDocs(Context& context, const DocsOptions& options);

struct NewOptions {
  std::string name{};
  std::string from{};             ///< an example, in place of a template
  std::string plugin_template{};  ///< empty: asks a person at a terminal
  bool no_git = false;
};
/// Makes svc-plugin-<name> and installs its dependencies.
[[nodiscard]] int pluginNew(Context& context, const NewOptions& options);
/// Lists the examples, or shows the one.
[[nodiscard]] int pluginExamples(Context& context, const std::string& name);
struct AddComponents {
  std::vector<std::string> names{};  ///< empty = list them
  std::string path{};                ///< of the plugin; empty = the working directory
  bool force = false;                ///< overwrite what was asked for
};
/// Copies components into a plugin, or lists them.
[[nodiscard]] int pluginAdd(Context& context, const AddComponents& wanted);
/// An empty path is the working directory.
[[nodiscard]] int pluginTypes(Context& context, const std::string& path, bool check);
[[nodiscard]] int pluginDev(Context& context, const std::string& path);
struct TestOptions {
  std::string path{};
  std::vector<std::string>
      settings{};  ///< "key=value" each; a value `-` is read from standard input
};
[[nodiscard]] int pluginTest(Context& context, const TestOptions& options);
[[nodiscard]] int pluginBuild(Context& context, const std::string& path);

[[nodiscard]] int pluginList(Context& context);
[[nodiscard]] int pluginShow(Context& context, const std::string& id);
/// An empty id reloads every enabled plugin.
[[nodiscard]] int pluginReload(Context& context, const std::string& id);
[[nodiscard]] int pluginEnable(Context& context, const std::string& id);
[[nodiscard]] int pluginDisable(Context& context, const std::string& id);

struct RemoveOptions {
  bool purge = false;
  bool yes = false;
};
[[nodiscard]] int pluginRemove(Context& context, const std::string& id, RemoveOptions options);

/// Prints the plugin's HTTP token and nothing else.
[[nodiscard]] int pluginToken(Context& context, const std::string& id, bool rotate);

inline constexpr int kTopInterval = 2;  ///< seconds
struct TopOptions {
  bool once = false;
  std::optional<int> interval;  ///< seconds; nullopt = kTopInterval on a terminal, once elsewhere
};
[[nodiscard]] int pluginTop(Context& context, const TopOptions& options);

/// `change` is "on", "off", or empty to show the state.
[[nodiscard]] int pluginSafeMode(Context& context, const std::string& change);

/// An empty key shows every setting; a key without a value is reset.
struct ConfigChange {
  std::string key;
  std::optional<std::string> value;  ///< "-" reads a secret from standard input
};
[[nodiscard]] int pluginConfig(Context& context, const std::string& id, const ConfigChange& change);

struct LogOptions {
  int lines = 100;
  bool follow = false;
  std::string level;
};
[[nodiscard]] int pluginLogs(Context& context, const std::string& id, const LogOptions& options);

/// The methods of one plugin, or (empty id) those that all plugins publish.
[[nodiscard]] int pluginRpcList(Context& context, const std::string& id);
/// An empty method shows all of the plugin, one JSON object per line.
[[nodiscard]] int pluginRpcInspect(Context& context, const std::string& id,
                                   const std::string& method);
struct RpcInput {
  std::string json;  ///< empty = no input
  std::string file;  ///< read instead when not empty
};
/// Errors: `usage`, also when it is not JSON.
[[nodiscard]] Result<std::string> readInput(const RpcInput& input);
[[nodiscard]] int pluginRpcCall(Context& context, const std::string& id, const std::string& method,
                                const RpcInput& input);

/// The tools that plugins have for agents, those that are not on offer included.
[[nodiscard]] int pluginToolList(Context& context, const std::string& id);
/// An empty name shows all of the plugin, one JSON object per line.
[[nodiscard]] int pluginToolInspect(Context& context, const std::string& id,
                                    const std::string& name);
struct ToolInput {
  RpcInput arguments;
  std::string image;  ///< file for the images of the result; empty = they are only named
};
/// 1 when the tool answers with an error.
[[nodiscard]] int pluginToolCall(Context& context, const std::string& id, const std::string& name,
                                 const ToolInput& input);

struct InspectOptions {
  bool close = false;
};
[[nodiscard]] int pluginInspect(Context& context, const std::string& id,
                                const InspectOptions& options);
struct ProfileOptions {
  int seconds = 5;
  std::string file{};  ///< empty = a name made of id and time
};
[[nodiscard]] int pluginProfile(Context& context, const std::string& id,
                                const ProfileOptions& options);
[[nodiscard]] int pluginHeap(Context& context, const std::string& id, const std::string& file);

/// MCP over standard input and output, for clients that start programs.
[[nodiscard]] int mcpBridge(Context& context);
/// The endpoint and who is connected to it.
[[nodiscard]] int mcpStatus(Context& context);
struct McpTokenOptions {
  std::string name{};
  std::vector<std::string> plugins{};
  std::vector<std::string> tools{};
};
/// Prints the secret and nothing else.
[[nodiscard]] int mcpTokenCreate(Context& context, const McpTokenOptions& options);
[[nodiscard]] int mcpTokenList(Context& context);
[[nodiscard]] int mcpTokenRevoke(Context& context, const std::string& token);
struct McpSetupOptions {
  std::string client{};  ///< empty = show which there are
  bool write = false;
  bool project = false;  ///< the file of the working directory instead of the user's
  bool http = false;     ///< the address instead of the program
  bool remove = false;   ///< take the entry out of the file
  bool force = false;    ///< replace another entry, or remove one that is written by hand
  std::string token{};   ///< name of a token to be made; empty = none
};
[[nodiscard]] int mcpSetup(Context& context, const McpSetupOptions& options);

[[nodiscard]] int status(Context& context);
/// `fix` repairs first what can be.
[[nodiscard]] int doctor(Context& context, bool fix);

struct BackupOptions {
  std::string file{};
  bool force = false;
};
[[nodiscard]] int backupTo(Context& context, const BackupOptions& options);
struct RestoreOptions {
  std::string file{};
  bool yes = false;
};
[[nodiscard]] int restoreFrom(Context& context, const RestoreOptions& options);

/// The configuration as svcd reads it; with the arguments and variables of the running server when there is one.
[[nodiscard]] int settingsList(Context& context, bool origin);
[[nodiscard]] int settingsGet(Context& context, const std::string& key);
/// Lets the running server read its configuration again.
[[nodiscard]] int settingsReload(Context& context);
/// Without a value the setting is removed from the file.
[[nodiscard]] int settingsSet(Context& context, const std::string& key,
                              const std::optional<std::string>& value);

/// Files of a machine. `host`: its name or id; empty = the server's own, where relative paths begin in the working directory.
struct FileOptions {
  std::string host{};
  std::string path{};
  std::string other{};  ///< destination, or the file whose content is written
  std::string query{};
  std::string expected{};  ///< SHA-256; "none" = nothing may be there
  int limit = 0;           ///< 0 = the server's default
  bool recursive = false;  ///< also: parents are made
  bool yes = false;
};
[[nodiscard]] int fileList(Context& context, const FileOptions& options);
[[nodiscard]] int fileRead(Context& context, const FileOptions& options);
[[nodiscard]] int fileWrite(Context& context, const FileOptions& options);
[[nodiscard]] int fileMkdir(Context& context, const FileOptions& options);
[[nodiscard]] int fileMove(Context& context, const FileOptions& options);
[[nodiscard]] int fileRemove(Context& context, const FileOptions& options);

struct TerminalOptions {
  std::string host{};
  std::string id{};
  std::string cwd{};
  std::string title{};
  std::string text{};  ///< a command, or what is typed
  int tail = 0;
  bool detached = false;
  bool plain = false;  ///< no line break behind the text
  bool force = false;
};
[[nodiscard]] int terminalList(Context& context, const TerminalOptions& options);
[[nodiscard]] int terminalShow(Context& context, const TerminalOptions& options);
[[nodiscard]] int terminalOpen(Context& context, const TerminalOptions& options);
[[nodiscard]] int terminalAttach(Context& context, const TerminalOptions& options);
[[nodiscard]] int terminalOutput(Context& context, const TerminalOptions& options);
[[nodiscard]] int terminalSend(Context& context, const TerminalOptions& options);
[[nodiscard]] int terminalClose(Context& context, const TerminalOptions& options);
[[nodiscard]] int terminalRename(Context& context, const TerminalOptions& options);
[[nodiscard]] int terminalRestart(Context& context, const TerminalOptions& options);

/// `arguments` go to svcd as they are.
[[nodiscard]] int serverStart(Context& context, const std::vector<std::string>& arguments);
[[nodiscard]] int serverStop(Context& context);
/// Starts again with the arguments of the running server, unless some are given.
[[nodiscard]] int serverRestart(Context& context, const std::vector<std::string>& arguments);
[[nodiscard]] int serverLogs(Context& context, const LogOptions& options);

[[nodiscard]] int completion(Context& context, const std::string& shell);

}  // namespace svc::client
