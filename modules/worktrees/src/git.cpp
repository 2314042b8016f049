#include "git.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "svc/base/run.h"
#include "svc/base/stop_event.h"
#include "svc/base/system_error.h"
#include "svc/common/codes.h"

namespace svc::worktrees {
namespace {

namespace fs = std::filesystem;

/// Of what git says about a failure, in an answer.
constexpr std::size_t kLastWords = 2000;
constexpr auto kEndGrace = std::chrono::seconds(1);

std::string lastWords(std::string_view text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) {
    text.remove_suffix(1);
  }
  if (text.size() > kLastWords) {
    text.remove_prefix(text.size() - kLastWords);
  }
  return std::string(text);
}

struct FilterValue {
  std::string key;
  std::string value;
  bool is_repositorys = false;
};

/// "local" and "worktree" are of the repository, whoever wrote it there.
std::vector<FilterValue> readFilters(std::string_view text) {
  std::vector<FilterValue> out;
  const auto pieces = nulSeparated(text);
  for (std::size_t at = 0; at + 1 < pieces.size(); at += 2) {
    const auto entry = pieces[at + 1];
    const auto end = std::min(entry.find('\n'), entry.size());
    out.push_back({.key = std::string(entry.substr(0, end)),
                   .value = std::string(entry.substr(std::min(end + 1, entry.size()))),
                   .is_repositorys = pieces[at] == "local" || pieces[at] == "worktree"});
  }
  return out;
}

}  // namespace

std::vector<std::string_view> nulSeparated(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto end = std::min(text.find('\0'), text.size());
    out.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

base::Environment gitEnvironment(const base::Environment& own, const std::string& path) {
  auto out = base::cleanEnvironment(own, path);
  out["GIT_TERMINAL_PROMPT"] = "0";
  out["GIT_OPTIONAL_LOCKS"] = "0";
  out["GIT_PAGER"] = "cat";
  out["GIT_EDITOR"] = ":";
  out["GIT_ASKPASS"] = "true";
  out["SSH_ASKPASS"] = "true";
  out["LC_ALL"] = "C";
  out.erase("LANGUAGE");
  return out;
}

const std::vector<std::string>& quietOptions() {
  static const std::vector<std::string> options = [] {
    std::vector<std::string> out{"--no-pager", "--literal-pathspecs"};
    for (const auto* each :
         {"core.hooksPath=/dev/null", "core.fsmonitor=false", "core.untrackedCache=false",
          "core.pager=cat", "core.quotePath=false", "diff.external=", "diff.ignoreSubmodules=dirty",
          "diff.noprefix=false", "diff.mnemonicPrefix=false", "diff.relative=false",
          "submodule.recurse=false", "status.submoduleSummary=false", "log.showSignature=false",
          "commit.gpgSign=false", "gc.auto=0", "maintenance.auto=false", "color.ui=false",
          "protocol.allow=never", "advice.detachedHead=false"}) {
      out.emplace_back("-c");
      out.emplace_back(each);
    }
    return out;
  }();
  return options;
}

Result<Git> Git::open(fs::path folder, const base::Environment& environment, std::stop_token stop) {
  std::error_code failure;
  const auto status = fs::status(folder, failure);
  if (status.type() == fs::file_type::not_found) {
    return Error{errc::kNotFound, fmt::format("there is no folder {}", folder.string())};
  }
  if (failure || !fs::is_directory(status)) {
    return failure ? Error{errc::kForbidden, fmt::format("{} cannot be looked at: {}",
                                                         folder.string(), failure.message())}
                   : Error{errc::kNotFound, fmt::format("{} is not a folder", folder.string())};
  }
  if (::access(folder.c_str(), R_OK | X_OK) != 0) {
    return Error{
        errc::kForbidden,
        fmt::format("{} cannot be read by the user of this machine's daemon", folder.string())};
  }
  Git git(std::move(folder), environment, std::move(stop));
  // An environment variable beats what the configuration of a repository says about protocols.
  git.environment_["GIT_ALLOW_PROTOCOL"] = "none";
  if (auto checked = git.checkRepository(); !checked) {
    return std::move(checked).error();
  }
  if (auto quiet = git.switchOffFilters(); !quiet) {
    return std::move(quiet).error();
  }
  return git;
}

Status Git::checkRepository() const {
  const auto inside = text({"rev-parse", "--is-inside-work-tree"});
  if (!inside) {
    return inside.error();
  }
  if (!inside.value().starts_with("true")) {
    return Error{kNotRepository,
                 fmt::format("{} is in a repository without a working tree", folder_.string())};
  }
  return {};
}

Status Git::switchOffFilters() {
  const auto listed = ask({"config", "--includes", "--show-scope", "-z", "--get-regexp",
                           R"(^filter\..*\.(clean|smudge|process)$)"});
  if (!listed) {
    return listed.error();
  }
  if (listed.value().cut) {
    return Error{errc::kForbidden, fmt::format("the configuration of the repository {} is larger "
                                               "than this machine reads",
                                               folder_.string())};
  }
  std::map<std::string, std::string> trusted;
  std::set<std::string> off;
  for (const auto& entry : readFilters(listed.value().out)) {
    if (!entry.is_repositorys) {
      trusted[entry.key] = entry.value;
    } else if (const auto same = trusted.find(entry.key);
               same == trusted.end() || same->second != entry.value) {
      off.insert(entry.key.substr(0, entry.key.rfind('.')));
    }
  }
  std::size_t count = 0;
  for (const auto& filter : off) {
    filters_.push_back(filter.substr(std::string_view("filter.").size()));
    for (const auto* part : {"clean", "smudge", "process"}) {
      // As variables, because an option ends a name at the first equals sign.
      environment_[fmt::format("GIT_CONFIG_KEY_{}", count)] = fmt::format("{}.{}", filter, part);
      environment_[fmt::format("GIT_CONFIG_VALUE_{}", count)] = "";
      ++count;
    }
    environment_[fmt::format("GIT_CONFIG_KEY_{}", count)] = filter + ".required";
    environment_[fmt::format("GIT_CONFIG_VALUE_{}", count)] = "false";
    ++count;
  }
  if (count > 0) {
    environment_["GIT_CONFIG_COUNT"] = std::to_string(count);
  }
  return {};
}

Status Git::checkWritable() const {
  if (filters_.empty()) {
    return {};
  }
  return Error{errc::kConflict,
               fmt::format("the repository {} runs programs over its files (filter \"{}\" in its "
                           "own configuration), which is not done for you here: allow them with "
                           "`git config --global filter.{}.clean …` on this machine, or use git "
                           "in a terminal",
                           folder_.string(), filters_.front(), filters_.front())};
}

Result<GitAnswer> Git::ask(std::vector<std::string> arguments, const GitLimits& limits,
                           int in) const {
  const base::StopEvent stop(stop_);
  base::RunOptions run;
  run.program.argv = {"git"};
  run.program.argv.insert(run.program.argv.end(), quietOptions().begin(), quietOptions().end());
  const auto subcommand = arguments.empty() ? std::string() : arguments.front();
  std::move(arguments.begin(), arguments.end(), std::back_inserter(run.program.argv));
  run.program.environment = environment_;
  run.program.directory = folder_;
  run.program.group = base::ProcessGroup::kSession;
  run.program.in = in;
  run.output_limit = limits.output;
  run.overflow = base::Overflow::kEnd;
  run.time_limit = limits.time;
  run.interrupt = stop.descriptor();
  run.grace = kEndGrace;
  auto outcome = base::run(run);
  if (!outcome) {
    if (outcome.error().code == errc::kNotFound) {
      return Error{errc::kUnavailable, "there is no git on this machine: install it there"};
    }
    return std::move(outcome).error();
  }
  auto& end = outcome.value();
  if (end.end == base::RunEnd::kTimeout) {
    return Error{
        errc::kTimeout,
        fmt::format("git {} in {} took longer than {} s (limit git)", subcommand, folder_.string(),
                    std::chrono::duration_cast<std::chrono::seconds>(limits.time).count())};
  }
  if (end.end == base::RunEnd::kInterrupted) {
    return Error{errc::kAborted, "this machine's daemon goes down"};
  }
  return GitAnswer{.code = end.status.shellCode(),
                   .out = std::move(end.out),
                   .err = std::move(end.err),
                   .cut = end.end == base::RunEnd::kOverflow};
}

Result<std::string> Git::text(std::vector<std::string> arguments, const GitLimits& limits,
                              int in) const {
  auto answer = ask(std::move(arguments), limits, in);
  if (!answer) {
    return std::move(answer).error();
  }
  if (answer.value().cut) {
    return Error{errc::kTooLarge, fmt::format("git says more than {} bytes about {} (limit diff)",
                                              limits.output, folder_.string())};
  }
  if (answer.value().code != 0) {
    return gitFailure(folder_, answer.value());
  }
  return std::move(answer).value().out;
}

std::string Git::line(std::vector<std::string> arguments) const {
  const auto answer = text(std::move(arguments));
  return answer ? answer.value().substr(0, answer.value().find('\n')) : std::string();
}

Result<base::Fd> inputOf(const std::string& text) {
  base::Fd file(::memfd_create("svc-git-input", MFD_CLOEXEC));
  if (!file || !base::writeAll(file.get(), text) || ::lseek(file.get(), 0, SEEK_SET) != 0) {
    return base::systemError("cannot hand git its input", errno);
  }
  return file;
}

Error gitFailure(const fs::path& folder, const GitAnswer& answer) {
  const auto words = lastWords(answer.err.empty() ? answer.out : answer.err);
  const auto says = [&words](std::string_view text) {
    return words.find(text) != std::string::npos;
  };
  if (says("dubious ownership") || says("unsafe repository")) {
    return {errc::kForbidden,
            fmt::format("the repository {} belongs to another user, so git does not trust it; if "
                        "you do, run on this machine: git config --global --add safe.directory {}",
                        folder.string(), folder.string())};
  }
  if (says("not a git repository")) {
    return {kNotRepository, fmt::format("{} is in no git repository", folder.string())};
  }
  if (says("Permission denied")) {
    return {errc::kForbidden, fmt::format("git may not do this in {}: {}", folder.string(), words)};
  }
  return {errc::kConflict, fmt::format("git failed in {}: {}", folder.string(), words)};
}

}  // namespace svc::worktrees
