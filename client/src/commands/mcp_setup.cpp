#include <unistd.h>

#include <array>
#include <filesystem>
#include <ostream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "commands/commands.h"
#include "exit_code.h"
#include "mcp_setup/client_file.h"
#include "mcp_setup/client_token.h"
#include "mcp_setup/mcp_clients.h"
#include "table.h"
#include "text.h"
#include "wire/http_address.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr const char* kGeneric = "generic";
/// How secrets begin.
constexpr const char* kSecretBegin = "svc_mcp_";
/// Stands for a secret until everything else is known to work.
constexpr const char* kNoSecretYet = "svc_mcp_…";

/// Where a program is on PATH; empty = nowhere.
std::string onPath(const Environment& environment, const std::string& program) {
  const auto path = environment.variable("PATH").value_or("");
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find(':', at), path.size());
    const auto candidate = fs::path(path.substr(at, end - at)) / program;
    std::error_code ignored;
    if (end > at && fs::is_regular_file(candidate, ignored) &&
        ::access(candidate.c_str(), X_OK) == 0) {
      return candidate.string();
    }
    at = end + 1;
  }
  return {};
}

int listClients(Context& context) {
  const auto& console = context.console;
  auto all = Json::array();
  Table table;
  table.add({"CLIENT", "NAME", "INSTALLED", "CONFIGURED"});
  for (const auto& kind : mcpClientKinds()) {
    const auto program = onPath(context.environment, kind.program);
    auto configured = Json::array();
    std::string files;
    for (const auto& file : {kind.own_file(context.environment),
                             context.environment.working_dir / kind.project_file}) {
      const auto text = clientText(file);
      if (text && hasMcpEntry(kind, text.value())) {
        configured.push(file.string());
        files += (files.empty() ? "" : ", ") + file.string();
      }
    }
    all.push(Json::object()
                 .set("id", kind.id)
                 .set("name", kind.title)
                 .set("program", program.empty() ? Json() : Json(program))
                 .set("configured", std::move(configured)));
    table.add({kind.id, kind.title, program.empty() ? "-" : program, files.empty() ? "-" : files});
  }
  if (console.json) {
    console.out << Json::object().set("ok", true).set("clients", std::move(all)).dump() << '\n';
  } else {
    console.out << table.render(layoutFor(console));
    console.err << "`svc mcp setup <client>` shows what a client needs, `--write` writes it; "
                   "`generic` is for any other.\n";
  }
  return kExitOk;
}

/// The client is told it as it is: what no client could use is refused here.
bool isServerAddress(const std::string& url) { return HttpAddress::parse(url).has_value(); }

Error notAnAddress(const std::string& url) {
  return {codes::kUsage, fmt::format("\"{}\" is not a server address such as http://127.0.0.1:4700",
                                     oneLine(url))};
}

/// The option, or else its variable. The variables of this shell are not for a project's file, which others get.
std::string chosen(const Context& context, const McpSetupOptions& options,
                   const std::string& option, const char* variable) {
  return option.empty() && !options.project ? context.environment.variable(variable).value_or("")
                                            : option;
}

/// What of the entry is right on this machine alone, or is left out because of it.
void remarkProject(const Context& context, const McpConnection& connection) {
  const auto& console = context.console;
  if (connection.command.size() > 2) {
    console.complain(
        "the file of the project names this machine's server: colleagues who use it have another");
    return;
  }
  for (const auto* const variable : {"SVC_SERVER_URL", "SVC_DATA_DIR"}) {
    if (!context.environment.variable(variable).value_or("").empty()) {
      console.complain(
          fmt::format("{} of this shell does not go into the file of the project: `svc mcp` "
                      "finds the server of whoever starts it",
                      variable));
    }
  }
}

Result<McpConnection> connectionOf(const Context& context, const McpSetupOptions& options) {
  McpConnection connection;
  if (!options.token.empty()) {
    connection.secret = kNoSecretYet;
  }
  if (options.http) {
    auto address = locateServer(context.choice, context.environment);
    if (!address) {
      return std::move(address).error();
    }
    connection.url = address.value().url;
    if (!isServerAddress(connection.url)) {
      return notAnAddress(connection.url);
    }
    while (connection.url.ends_with('/')) {
      connection.url.pop_back();
    }
    connection.url += "/api/v1/mcp";
    return connection;
  }
  // A project's file is for other machines too; elsewhere a client may have another PATH than this shell.
  connection.command = {
      options.project ? "svc" : (context.environment.program_dir / "svc").string(), "mcp"};
  // The client is started without the variables of this shell; an option comes before either.
  const auto& choice = context.choice;
  const auto server = choice.data_dir.empty()
                          ? chosen(context, options, choice.server, "SVC_SERVER_URL")
                          : choice.server;
  if (!server.empty()) {
    if (!isServerAddress(server)) {
      return notAnAddress(server);
    }
    connection.command.insert(connection.command.end(), {"--server", server});
  }
  if (const auto data = chosen(context, options, choice.data_dir, "SVC_DATA_DIR"); !data.empty()) {
    connection.command.insert(
        connection.command.end(),
        {"--data-dir", fs::absolute(context.environment.working_dir / data).string()});
  }
  return connection;
}

/// Puts the secret of a new token into the connection; an exit code when there is none.
std::optional<int> makeToken(Context& context, const McpSetupOptions& options,
                             McpConnection& connection) {
  return options.token.empty()
             ? std::nullopt
             : makeClientToken(context, {.name = options.token, .replace = options.force},
                               connection.secret);
}

/// Answers with the configuration alone.
int show(const Context& context, const std::string& client, const std::string& file,
         const std::string& snippet) {
  const auto& console = context.console;
  if (console.json) {
    console.out << Json::object()
                       .set("ok", true)
                       .set("client", client)
                       .set("file", file.empty() ? Json() : Json(file))
                       .set("written", false)
                       .set("config", snippet)
                       .dump()
                << '\n';
    return kExitOk;
  }
  if (!file.empty()) {
    console.err << fmt::format("Add this to {}, or let `--write` do it:\n", file);
  }
  console.out << snippet;
  return kExitOk;
}

struct Hints {
  const char* conflict;
  const char* other;
};
constexpr Hints kWriteHints{.conflict = "--force replaces it",
                            .other = "without --write this shows what to add by hand"};
constexpr Hints kRemoveHints{.conflict = "--force removes it",
                             .other = "take the entry out by hand"};

int refused(const Console& console, const fs::path& file, Error error,
            const Hints& hints = kWriteHints) {
  const bool other = error.code == errc::kConflict;
  error.message = fmt::format("{} stays as it is: {}", file.string(), error.message);
  if (other) {
    error.code = codes::kRefused;
    console.fail(error, hints.conflict);
    return kExitRefused;
  }
  console.fail(error, hints.other);
  return kExitFailure;
}

struct Target {
  const McpClientKind& kind;
  fs::path file;  ///< links followed
};

const char* doneWord(Edit::Outcome outcome) {
  return outcome == Edit::Outcome::kRemoved ? "Removed"
         : outcome == Edit::Outcome::kAdded ? "Added"
                                            : "Replaced";
}

void report(const Context& context, const Target& target, const Edit& edit, const std::string& copy,
            const char* unchanged_because = "this entry already") {
  const auto& console = context.console;
  const bool changed = edit.outcome != Edit::Outcome::kUnchanged;
  if (console.json) {
    console.out << Json::object()
                       .set("ok", true)
                       .set("client", target.kind.id)
                       .set("file", target.file.string())
                       .set("written", changed)
                       .set("backup", copy.empty() ? Json() : Json(copy))
                       .dump()
                << '\n';
    return;
  }
  if (!changed) {
    console.out << fmt::format("{} has {}: nothing is changed.\n", target.file.string(),
                               unchanged_because);
    return;
  }
  const bool removed = edit.outcome == Edit::Outcome::kRemoved;
  console.out << fmt::format("{} {}.{} {} {}{}.\n", doneWord(edit.outcome), target.kind.container,
                             kMcpServerName, removed ? "from" : "in", target.file.string(),
                             copy.empty() ? "" : "; as it was at first: " + copy);
  if (!removed) {
    console.out << target.kind.next << '\n';
  }
}

void remarkSecret(const Console& console, const Target& target, std::optional<mode_t> mode,
                  const McpSetupOptions& options) {
  if (mode) {
    console.complain(
        fmt::format("warning: {} has a secret now and had the mode {:04o}, with which others can "
                    "read it: it has 0600 now",
                    target.file.string(), *mode));
  }
  if (options.project) {
    console.complain("the file of the project has a secret now: keep it out of version control");
  }
}

/// Whether the file has this entry already, with a token that was made for it before.
bool hasEntryWithToken(const Target& target, const std::string& text, McpConnection connection) {
  for (auto at = text.find(kSecretBegin); at != std::string::npos;
       at = text.find(kSecretBegin, at + 1)) {
    const auto end = text.find_first_of("\"' \n", at);
    connection.secret = text.substr(at, end - at);
    const auto edit = setMcpEntry(target.kind, text, connection, false);
    if (edit && edit.value().outcome == Edit::Outcome::kUnchanged) {
      return true;
    }
  }
  return false;
}

/// Whether this program has made the file: with the new entry it is what becomes of none, and the old entry is one of the service.
bool isOwn(const Target& target, const std::string& before, const std::string& after,
           const McpConnection& connection) {
  return after == mcpSnippet(target.kind, connection) && reachesService(before);
}

int write(Context& context, const Target& target, McpConnection connection,
          const McpSetupOptions& options) {
  const auto& console = context.console;
  const auto text = clientText(target.file);
  if (!text) {
    console.fail(text.error());
    return kExitFailure;
  }
  const bool is_set_up =
      !options.token.empty() && hasEntryWithToken(target, text.value(), connection);
  if (is_set_up && !options.force && mayHaveToken(context, options.token)) {
    report(context, target, Edit{}, "");
    return kExitOk;
  }
  // First with what is known: a token that is not needed is not made. An entry of which only the token is not good any more is replaced.
  auto edit = setMcpEntry(target.kind, text.value(), connection, options.force || is_set_up);
  if (!edit) {
    return refused(console, target.file, std::move(edit).error());
  }
  if (auto problem = keptByItsOwner(target.file);
      problem && edit.value().outcome != Edit::Outcome::kUnchanged) {
    return refused(console, target.file, *std::move(problem));
  }
  if (const auto failed = makeToken(context, options, connection)) {
    return *failed;
  }
  if (!options.token.empty()) {
    edit = setMcpEntry(target.kind, text.value(), connection, true);
  }
  constexpr mode_t kOwner = 0600;
  constexpr mode_t kAnybody = 07777;
  const bool secret = !options.token.empty();
  const auto mode = openToOthers(target.file);
  std::string copy;
  if (edit.value().outcome != Edit::Outcome::kUnchanged) {
    auto written = replaceClientFile(target.file, edit.value().text, secret ? kOwner : kAnybody,
                                     isOwn(target, text.value(), edit.value().text, connection));
    if (!written) {
      console.fail(written.error());
      return kExitFailure;
    }
    copy = std::move(written).value();
  }
  report(context, target, edit.value(), copy);
  if (secret) {
    remarkSecret(console, target, mode, options);
  }
  return kExitOk;
}

/// The entry was added to the file of somebody else: what goes is that alone.
int removeEntry(Context& context, const Target& target, bool force) {
  const auto& console = context.console;
  const auto text = clientText(target.file);
  if (!text) {
    console.fail(text.error());
    return kExitFailure;
  }
  auto edit = removeMcpEntry(target.kind, text.value(), force);
  if (!edit) {
    return refused(console, target.file, std::move(edit).error(), kRemoveHints);
  }
  std::string copy;
  if (edit.value().outcome == Edit::Outcome::kRemoved) {
    if (auto problem = keptByItsOwner(target.file)) {
      return refused(console, target.file, *std::move(problem), kRemoveHints);
    }
    constexpr mode_t kAnybody = 07777;
    auto written = replaceClientFile(target.file, edit.value().text, kAnybody, /*own=*/!force);
    if (!written) {
      console.fail(written.error());
      return kExitFailure;
    }
    copy = std::move(written).value();
  }
  report(context, target, edit.value(), copy, "no entry for the service");
  const auto secrets = [](const std::string& in) {
    return in.find(kSecretBegin) != std::string::npos;
  };
  if (secrets(text.value()) && !secrets(edit.value().text)) {
    console.complain(
        "its token is good as before: `svc mcp token list` names it, `svc mcp token revoke` ends "
        "it");
  }
  return kExitOk;
}

}  // namespace

int mcpSetup(Context& context, const McpSetupOptions& options) {
  const auto& console = context.console;
  if (options.client.empty()) {
    if (options.write || options.remove || options.project || options.http || options.force ||
        !options.token.empty()) {
      console.fail(Error{codes::kUsage, "for which client?"}, "`svc mcp setup` lists them");
      return kExitUsage;
    }
    return listClients(context);
  }
  auto connection = options.remove ? McpConnection{} : connectionOf(context, options);
  if (!connection) {
    return reportNoAnswer(console, connection.error());
  }
  const auto* const kind = findMcpClientKind(options.client);
  if (kind == nullptr) {
    if (options.write || options.remove) {
      console.fail(Error{codes::kUsage, "nobody knows the file of a generic client"},
                   "without --write and --remove this shows what most clients take");
      return kExitUsage;
    }
    if (const auto failed = makeToken(context, options, connection.value())) {
      return *failed;
    }
    const auto entry = Json::object().set(
        "mcpServers", Json::object().set(kMcpServerName, genericMcpEntry(connection.value())));
    return show(context, kGeneric, "", entry.dumpPretty() + "\n");
  }
  const auto file = options.project ? context.environment.working_dir / kind->project_file
                                    : kind->own_file(context.environment);
  if (options.project && !options.http && !options.remove) {
    remarkProject(context, connection.value());
  }
  if (options.write || options.remove) {
    if (auto problem =
            options.project ? leavesProject(file, context.environment.working_dir) : std::nullopt) {
      return refused(console, file, *std::move(problem),
                     options.remove ? kRemoveHints : kWriteHints);
    }
    std::error_code failed;
    const auto real = fs::weakly_canonical(file, failed);
    const Target target{*kind, failed ? file : real};
    return options.remove ? removeEntry(context, target, options.force)
                          : write(context, target, std::move(connection).value(), options);
  }
  if (const auto failed = makeToken(context, options, connection.value())) {
    return *failed;
  }
  return show(context, kind->id, file.string(), mcpSnippet(*kind, connection.value()));
}

}  // namespace svc::client
