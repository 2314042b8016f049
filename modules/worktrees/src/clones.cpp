#include "clones.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "svc/base/marked_processes.h"
#include "svc/base/system_error.h"
#include "svc/base/text.h"
#include "svc/common/codes.h"
#include "svc/common/json.h"
#include "svc/common/limits/worktrees.h"

#include "branches.h"
#include "git.h"
#include "watched_run.h"

namespace svc::worktrees {
namespace {

namespace fs = std::filesystem;
using common::Json;

constexpr const char* kProtocols = "https:http:ssh:git:file";
constexpr std::size_t kAddress = 4096;
/// Of a line of progress that is shown.
constexpr std::size_t kLine = 200;

Status makeTarget(const fs::path& path) {
  std::error_code failure;
  fs::create_directories(path.parent_path(), failure);
  if (failure) {
    return Error{errc::kConflict, fmt::format("{} cannot be made: {}", path.parent_path().string(),
                                              failure.message())};
  }
  // By its making it is ours: nothing that was there is written to, or removed after a failure.
  if (::mkdir(path.c_str(), 0777) == 0) {
    return {};
  }
  return errno == EEXIST
             ? Error{errc::kConflict, fmt::format("{} is there already; choose a folder that is "
                                                  "not there, or add this one as it is",
                                                  path.string())}
             : Error{errc::kConflict,
                     fmt::format("{} cannot be made: {}", path.string(), base::systemText(errno))};
}

base::SpawnOptions cloneProgram(const Clones::Wanted& wanted) {
  base::SpawnOptions program;
  program.argv = {"git"};
  for (const auto& option : quietOptions()) {
    program.argv.push_back(option == "protocol.allow=never" ? "protocol.allow=user" : option);
  }
  for (const auto* argument :
       {"clone", "--progress", "--no-recurse-submodules", "--template=", "--origin=origin", "--"}) {
    program.argv.emplace_back(argument);
  }
  program.argv.push_back(wanted.url);
  program.argv.push_back(wanted.path);
  program.environment = wanted.environment();
  (*program.environment)["GIT_ALLOW_PROTOCOL"] = kProtocols;
  program.directory = "/";
  return program;
}

/// What is said since the last return or line break, as people see it.
std::string lastLine(std::string_view tail) {
  auto text = base::trimmed(tail);
  text.remove_prefix(text.find_last_of("\r\n") + 1);
  return std::string(base::trimmed(text.substr(0, kLine)));
}

/// Git's words name addresses, with what it takes for the user, which is the end of a password that has an at sign.
std::string withoutUsers(std::string words) {
  constexpr std::string_view kScheme = "://";
  for (auto at = words.find(kScheme); at != std::string::npos; at = words.find(kScheme, at)) {
    at += kScheme.size();
    const auto host = std::string_view(words).substr(at);
    const auto end = host.substr(0, host.find_first_of("/?#'\" ")).rfind('@');
    if (end != std::string_view::npos) {
      words.erase(at, end + 1);
    }
  }
  return words;
}

Error cloneFailure(const Clones::Wanted& wanted, const WatchedOutcome& outcome) {
  const auto url = withoutPassword(wanted.url);
  if (outcome.end == base::RunEnd::kInterrupted) {
    return {errc::kAborted, fmt::format("the clone of {} was cancelled", url)};
  }
  if (outcome.end == base::RunEnd::kTimeout) {
    return {errc::kTimeout,
            fmt::format("the clone of {} took longer than {} min (limit clone)", url,
                        std::chrono::duration_cast<std::chrono::minutes>(limits::kClone).count())};
  }
  std::string words;
  std::string_view left = outcome.tail;
  while (!left.empty()) {
    const auto end = std::min(left.find_first_of("\r\n"), left.size());
    const auto line = base::trimmed(left.substr(0, end));
    if (line.starts_with("fatal:") || line.starts_with("error:") || line.starts_with("remote:") ||
        line.find("ermission denied") != std::string_view::npos) {
      words += (words.empty() ? "" : "; ") + std::string(line);
    }
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return {errc::kConflict,
          fmt::format("{} cannot be cloned: {}. The machine uses the keys and credentials of its "
                      "user; whether it may read the repository, `git ls-remote {}` there shows",
                      url, withoutUsers(words.empty() ? lastLine(outcome.tail) : words), url)};
}

/// Fetches into the folder, which is there.
Result<WatchedOutcome> fetch(const Clones::Wanted& wanted, const Leftovers& leftovers,
                             const std::string& mark, const std::stop_token& stop,
                             const std::function<void(std::string_view)>& said) {
  if (auto noted = leftovers.noteFolder(mark, wanted.path); !noted) {
    return std::move(noted).error();
  }
  auto program = cloneProgram(wanted);
  (*program.environment)[base::kProcessMark] = mark;
  auto outcome = runWatched(std::move(program), limits::kClone, stop, said);
  if (outcome && outcome.value().end != base::RunEnd::kExited) {
    base::signalMarked(mark, SIGKILL);  // also what has left its group
  }
  return outcome;
}

Result<std::string> cloneMarked(const Clones::Wanted& wanted, const Leftovers& leftovers,
                                const std::string& mark, const std::stop_token& stop,
                                const std::function<void(std::string_view)>& said) {
  if (auto made = makeTarget(wanted.path); !made) {
    return std::move(made).error();
  }
  const auto outcome = fetch(wanted, leftovers, mark, stop, said);
  if (outcome && outcome.value().end == base::RunEnd::kExited && outcome.value().status.ok()) {
    return Json::object().set("path", wanted.path).dump();
  }
  std::error_code ignored;
  fs::remove_all(wanted.path, ignored);
  if (!outcome) {
    return outcome.error().code == errc::kNotFound
               ? Error{errc::kUnavailable, "there is no git on this machine: install it there"}
               : outcome.error();
  }
  return cloneFailure(wanted, outcome.value());
}

Result<std::string> cloneNow(const Clones::Wanted& wanted, Leftovers& leftovers,
                             const std::stop_token& stop,
                             const std::function<void(std::string_view)>& said) {
  leftovers.end();
  const auto mark = leftovers.marks().add();
  if (!mark) {
    return mark.error();
  }
  auto result = cloneMarked(wanted, leftovers, mark.value(), stop, said);
  leftovers.forgetFolder(mark.value());
  leftovers.marks().remove(mark.value());
  return result;
}

}  // namespace

Status checkRemoteUrl(const std::string& url) {
  const auto refuse = [](std::string_view why) {
    return Error{errc::kInvalidInput,
                 fmt::format("remoteUrl: {}; expected an address such as "
                             "https://host/group/name.git or git@host:group/name.git",
                             why)};
  };
  if (url.empty() || url.size() > kAddress) {
    return refuse("it is empty or too long");
  }
  if (url.front() == '-' || std::any_of(url.begin(), url.end(), [](char c) {
        return static_cast<unsigned char>(c) <= ' ' || c == '\x7F';
      })) {
    return refuse("it has blanks or control characters, or begins with a dash");
  }
  // "ext::sh -c …" names a program.
  if (url.find("::") != std::string::npos && url.find("://") == std::string::npos) {
    return refuse("git would run a program for it");
  }
  if (const auto scheme = url.find("://"); scheme != std::string::npos) {
    constexpr std::array<std::string_view, 5> kSchemes{"https", "http", "ssh", "git", "file"};
    if (std::find(kSchemes.begin(), kSchemes.end(), url.substr(0, scheme)) == kSchemes.end()) {
      return refuse("its scheme is not one of https, http, ssh, git and file");
    }
  }
  return {};
}

void Clones::begin(Wanted wanted, Completion<std::string> done) {
  if (auto checked = checkRemoteUrl(wanted.url); !checked) {
    return done(std::move(checked).error());
  }
  if (!wanted.path.starts_with('/') || wanted.path.find('\0') != std::string::npos) {
    return done(Error{errc::kInvalidInput, "path: expected an absolute one"});
  }
  const auto answer = std::make_shared<Completion<std::string>>(std::move(done));
  const auto id = wanted.id;
  auto begun = jobs_.begin(
      id,
      [wanted = std::move(wanted), answer, &leftovers = leftovers_,
       progress = progress_](const std::stop_token& stop) -> Task {
        const auto said = [&](std::string_view output) {
          if (auto line = withoutUsers(lastLine(output)); !line.empty()) {
            const std::scoped_lock lock(progress->mutex);
            progress->lines[wanted.id] = std::move(line);
          }
        };
        auto result = guarded([&] { return cloneNow(wanted, leftovers, stop, said); });
        {
          const std::scoped_lock lock(progress->mutex);
          progress->lines.erase(wanted.id);
        }
        return [answer, result = std::move(result)]() mutable { (*answer)(std::move(result)); };
      });
  if (!begun) {
    (*answer)(std::move(begun).error());
  }
}

std::string Clones::state(const std::string& id) const {
  const std::scoped_lock lock(progress_->mutex);
  const auto found = progress_->lines.find(id);
  return Json::object()
      .set("running", found != progress_->lines.end())
      .set("progress", found == progress_->lines.end() ? Json() : Json(found->second))
      .dump();
}

bool Clones::cancel(const std::string& id) { return jobs_.cancel(id); }

}  // namespace svc::worktrees
