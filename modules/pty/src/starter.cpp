#include "starter.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/base/marked_processes.h"
#include "svc/base/user_shell.h"
#include "svc/common/body_reader.h"
#include "svc/common/codes.h"
#include "svc/common/limits/terminals.h"

namespace svc::pty {
namespace {

using common::BodyReader;
using common::Json;

std::string valueOf(const base::Environment& environment, const std::string& name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string{} : found->second;
}

/// The user's, as the system knows it; its fields are texts.
struct Account {
  std::string home = "/";
  std::string shell;
};

Account accountOf(const base::Environment& own) {
  Account account;
  passwd entry{};
  passwd* found = nullptr;
  constexpr std::size_t kRoom = 16UL * 1024;
  std::vector<char> room(kRoom);
  if (::getpwuid_r(::geteuid(), &entry, room.data(), room.size(), &found) == 0 &&
      found != nullptr) {
    account.home = found->pw_dir;
  }
  if (auto home = valueOf(own, "HOME"); !home.empty()) {
    account.home = std::move(home);
  }
  account.shell = base::userShell(own);
  return account;
}

Status checkDirectory(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) {
    return errno == EACCES
               ? Error{errc::kForbidden, fmt::format("no permission to enter {}", path)}
               : Error{errc::kNotFound, fmt::format("the directory {} does not exist", path)};
  }
  if (!S_ISDIR(status.st_mode)) {
    return Error{errc::kInvalidInput, fmt::format("{} is not a directory", path)};
  }
  return {};
}

void readStart(BodyReader& reader, OpenRequest& request) {
  const auto& start = reader.body()["start"];
  const auto& mode = start["mode"].asString();
  if (mode == "command" && !start["command"].asString().empty()) {
    request.command = start["command"].asString();
  } else if (mode != "shell") {
    reader.issue("Expected { mode: \"shell\" } or { mode: \"command\", command }", {Json("start")});
  }
  if (request.command.find('\0') != std::string::npos) {
    reader.issue("A command has no null characters", {Json("start"), Json("command")});
  }
}

/// The daemon's environment with one more directory on PATH.
base::Environment withPath(base::Environment own, const std::string& directory) {
  auto& path = own["PATH"];
  path = (path.empty() ? std::string("/usr/local/bin:/usr/bin:/bin") : path) + ":" + directory;
  return own;
}

bool isOnPath(std::string_view path, std::string_view directory) {
  for (std::size_t at = 0; at <= path.size();) {
    const auto end = std::min(path.find(':', at), path.size());
    if (path.substr(at, end - at) == directory) {
      return true;
    }
    at = end + 1;
  }
  return false;
}

/// In single quotes, which every shell reads alike.
std::string quotedWord(const std::string& text) {
  std::string out = "'";
  for (const char c : text) {
    out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return out + "'";
}

/// Shells that understand `export PATH="$PATH":more` and `exec`, fish among them.
bool canExport(const std::string& shell) {
  constexpr std::array<std::string_view, 9> kShells{"ash", "bash", "busybox", "dash", "fish",
                                                    "ksh", "mksh", "sh",      "zsh"};
  const auto name = std::filesystem::path(shell).filename().string();
  return std::find(kShells.begin(), kShells.end(), name) != kShells.end();
}

}  // namespace

Starter::Starter(base::Environment own, std::filesystem::path bin, std::filesystem::path runs)
    : own_(std::move(own)),
      bin_(std::move(bin)),
      marks_(std::move(runs)),
      has_svc_(::access((bin_ / "svc").c_str(), X_OK) == 0),
      login_path_(has_svc_ ? withPath(own_, bin_.string()) : own_) {}

bool Starter::profileHidesSvc() { return has_svc_ && !isOnPath(login_path_.get(), bin_.string()); }

Starter::Words Starter::wordsFor(const OpenRequest& request, const std::string& shell) {
  // The dash makes it a login shell.
  const auto login_name = "-" + std::filesystem::path(shell).filename().string();
  if (!profileHidesSvc() || !canExport(shell)) {
    return request.command.empty() ? Words{{shell}, login_name}
                                   : Words{{shell, "-c", request.command}, login_name};
  }
  // Nothing in the environment outlives a profile that sets PATH, and the user's files are his: the profile is run first, and the shell
  // that he sees takes the place of the one that ran it.
  const auto found = fmt::format("export PATH=\"$PATH\":{}; ", quotedWord(bin_.string()));
  return request.command.empty()
             ? Words{{shell, "-l", "-c", found + "exec " + quotedWord(shell)}, shell}
             : Words{{shell, "-c", found + request.command}, login_name};
}

bool isTerminalSize(std::int64_t rows, std::int64_t columns) {
  return rows >= 1 && rows <= limits::kTerminalSize && columns >= 1 &&
         columns <= limits::kTerminalSize;
}

Result<OpenRequest> parseOpenRequest(const std::string& command) {
  auto parsed = BodyReader::parse(command);
  if (!parsed) {
    return std::move(parsed).error();
  }
  auto& reader = parsed.value();
  const auto& body = reader.body();
  OpenRequest request;
  request.id = reader.requiredString("terminalId");
  if (!body["cwd"].isNull()) {
    request.cwd = reader.optionalString("cwd").value_or(std::string{});
  }
  if (request.cwd.find('\0') != std::string::npos) {
    reader.issue("A path has no null characters", {Json("cwd")});
  }
  const auto rows = body["rows"].asInteger();
  const auto columns = body["cols"].asInteger();
  if (!isTerminalSize(rows, columns)) {
    reader.issue(fmt::format("Expected rows and cols from 1 to {} (limit terminalSize)",
                             limits::kTerminalSize),
                 {Json("rows")});
  }
  request.size = {.rows = static_cast<unsigned short>(rows),
                  .columns = static_cast<unsigned short>(columns)};
  readStart(reader, request);
  for (const auto& [name, value] : body["env"].members()) {
    request.environment[name] = value.asString();
  }
  if (auto status = reader.finish(); !status) {
    return std::move(status).error();
  }
  return request;
}

base::Environment Starter::environmentFor(const OpenRequest& request, const std::string& server_url,
                                          const std::string& shell) {
  auto environment = base::cleanEnvironment(own_, login_path_.get());
  environment["TERM"] = "xterm-256color";
  environment["COLORTERM"] = "truecolor";
  environment["SHELL"] = shell;
  if (has_svc_) {
    environment["SVC_CLI"] = (bin_ / "svc").string();
    // A shell that cannot be asked to has it at least until its profile is read.
    if (profileHidesSvc() && !canExport(shell)) {
      environment["PATH"] += ":" + bin_.string();
    }
  }
  if (!server_url.empty()) {
    environment["SVC_SERVER_URL"] = server_url;
  }
  for (const auto& [name, value] : request.environment) {
    environment[name] = value;
  }
  return environment;
}

void Starter::endLeftovers() {
  std::call_once(cleaned_, [this] { marks_.endLeftovers(); });
}

void Starter::forget(const std::string& mark) const {
  if (!mark.empty()) {
    marks_.remove(mark);
  }
}

Result<Started> Starter::start(const OpenRequest& request, const std::string& server_url) {
  const auto account = accountOf(own_);
  const auto& wanted = request.cwd;
  const auto cwd = wanted.empty()                              ? account.home
                   : wanted == "~" || wanted.starts_with("~/") ? account.home + wanted.substr(1)
                                                               : wanted;
  if (!cwd.starts_with('/')) {
    return Error{errc::kInvalidInput,
                 fmt::format("cwd: \"{}\" is not absolute; begin it with / or ~/", wanted)};
  }
  if (auto checked = checkDirectory(cwd); !checked) {
    return std::move(checked).error();
  }
  auto terminal = base::openPty(request.size);
  if (!terminal) {
    return std::move(terminal).error();
  }
  auto words = wordsFor(request, account.shell);
  endLeftovers();
  // Without room for its mark there is a terminal all the same: it may be wanted to make room.
  const auto marked = marks_.add();
  const auto mark = marked ? marked.value() : std::string();
  auto environment = environmentFor(request, server_url, account.shell);
  environment[base::kProcessMark] = mark;
  auto& pty = terminal.value();
  auto child = base::spawn({.argv = std::move(words.argv),
                            .shown_as = std::move(words.shown_as),
                            .environment = std::move(environment),
                            .directory = cwd,
                            .in = pty.there.get(),
                            .out = pty.there.get(),
                            .err = pty.there.get(),
                            .group = base::ProcessGroup::kSession,
                            .controls_terminal = true});
  if (!child) {
    forget(mark);
    return std::move(child).error();
  }
  return Started{.child = std::move(child).value(),
                 .here = std::move(pty.here),
                 .cwd = cwd,
                 .command = !request.command.empty(),
                 .mark = mark};
}

}  // namespace svc::pty
