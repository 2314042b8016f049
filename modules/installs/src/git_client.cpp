#include "git_client.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "package_archive.h"
#include "source_spec.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;

std::string tail(const Output& output) {
  constexpr std::size_t kTail = 600;
  auto text = output.err.empty() ? output.out : output.err;
  // What git says to everybody who does not get through.
  if (const auto advice = text.find("\n\nPlease make sure you have the correct access rights");
      advice != std::string::npos) {
    text.resize(advice);
  }
  while (!text.empty() && text.back() == '\n') {
    text.pop_back();
  }
  return text.size() > kTail ? text.substr(text.size() - kTail) : text;
}

Error gitError(const std::string& what, const Output& output) {
  return {errc::kUnavailable, fmt::format("{}: {}", what, tail(output))};
}

/// Whether the other end was reached and has no repository there. The words are git's and those of large hosts.
bool saysThatNoneIsThere(const Output& output) {
  const auto& said = output.err;
  const auto has = [&said](const char* words) { return said.find(words) != std::string::npos; };
  return has("does not appear to be a git repository") || has("Repository not found") ||
         has("project you were looking for could not be found") ||
         (has("fatal: repository '") && has("' not found"));
}

}  // namespace

RepositoryName repositoryName(const std::string& url) {
  RepositoryName out{"local", url};
  if (const auto scheme = url.find("://"); scheme != std::string::npos) {
    const auto rest = url.substr(scheme + 3);
    const auto slash = rest.find('/');
    out.host = rest.substr(0, slash);
    out.path = slash == std::string::npos ? "" : rest.substr(slash + 1);
  } else if (!url.starts_with('/')) {
    const auto colon = url.find(':');
    out.host = url.substr(0, colon);
    out.path = url.substr(colon + 1);
  }
  if (const auto user = out.host.rfind('@'); user != std::string::npos) {
    out.host.erase(0, user + 1);
  }
  if (out.host.empty()) {
    out.host = "local";
  }
  while (out.path.ends_with('/')) {
    out.path.pop_back();
  }
  if (out.path.ends_with(".git")) {
    out.path.resize(out.path.size() - 4);
  }
  return out;
}

Result<Output> GitClient::run(std::vector<std::string> arguments, const fs::path& directory,
                              const std::stop_token& stop, const std::string& url,
                              std::chrono::milliseconds timeout) {
  Command command;
  // No hook, no filter program of a large-file extension, no background maintenance, and nothing that asks.
  command.argv = {"git",
                  "-c",
                  "core.hooksPath=/dev/null",
                  "-c",
                  "gc.auto=0",
                  "-c",
                  "maintenance.auto=false",
                  "-c",
                  "advice.detachedHead=false",
                  "-c",
                  "submodule.recurse=false",
                  "-c",
                  "core.fsmonitor=false",
                  "-c",
                  "core.symlinks=true",
                  "-c",
                  "core.autocrlf=false"};
  for (auto& argument : arguments) {
    command.argv.push_back(std::move(argument));
  }
  command.directory = directory;
  command.timeout = timeout;
  // A redirect leads from https to plain http as little as an address does.
  const bool plain_http = url.starts_with("http://") && isGitUrl(url);
  command.environment = {
      {"GIT_TERMINAL_PROMPT", "0"},
      {"GIT_ASKPASS", "true"},
      {"SSH_ASKPASS", "true"},
      {"GIT_ALLOW_PROTOCOL", plain_http ? "https:http:ssh:file" : "https:ssh:file"},
      {"GIT_LFS_SKIP_SMUDGE", "1"},
      {"LC_ALL", "C"}};
  // A repository around the caller's directory means nothing here.
  for (const auto* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY"}) {
    command.removed_environment.emplace_back(name);
  }
  return processes_.run(command, stop);
}

Result<std::vector<RemoteRef>> GitClient::refs(const std::string& url, const fs::path& directory,
                                               const std::stop_token& stop) {
  auto output = run({"ls-remote", "--", url}, directory, stop, url, limits::kAskTool);
  if (!output) {
    return std::move(output).error();
  }
  if (output.value().exit_code != 0) {
    return saysThatNoneIsThere(output.value())
               ? refusal("not_found", fmt::format("there is no git repository at {}: {}", url,
                                                  tail(output.value())))
               : gitError(fmt::format("the repository {} cannot be read", url), output.value());
  }
  return parseRefs(output.value().out);
}

Status GitClient::fetch(const std::string& url, const GitChoice& choice, const fs::path& repository,
                        bool contents, const std::stop_token& stop) {
  std::error_code failure;
  fs::create_directories(repository, failure);
  std::vector<std::vector<std::string>> steps{{"init", "--quiet", "--template=", "."},
                                              {"remote", "add", "origin", url}};
  for (auto& step : steps) {
    auto output = run(std::move(step), repository, stop);
    if (!output || output.value().exit_code != 0) {
      return output ? gitError("git cannot prepare a repository", output.value())
                    : std::move(output).error();
    }
  }
  std::vector<std::string> fetch{"fetch", "--quiet", "--depth=1", "--no-tags",
                                 "--no-recurse-submodules"};
  if (!contents) {
    fetch.emplace_back("--filter=blob:none");
  }
  fetch.emplace_back("origin");
  auto one = fetch;
  one.push_back(choice.commit);
  auto output = run(std::move(one), repository, stop, url);
  if (!output) {
    return std::move(output).error();
  }
  if (output.value().exit_code == 0) {
    return {};
  }
  // Some servers give commits by their refs only.
  auto all = run({"fetch", "--quiet", "--no-recurse-submodules", "origin",
                  "+refs/heads/*:refs/remotes/origin/*", "+refs/tags/*:refs/tags/*"},
                 repository, stop, url);
  if (!all) {
    return std::move(all).error();
  }
  auto found = run({"cat-file", "-e", choice.commit + "^{commit}"}, repository, stop);
  if (!found) {
    return std::move(found).error();
  }
  if (all.value().exit_code != 0 || found.value().exit_code != 0) {
    return all.value().exit_code != 0
               ? gitError(fmt::format("cannot fetch {} of {}", choice.commit, url), output.value())
               : refusal("not_found", fmt::format("{} has no commit {}", url, choice.commit));
  }
  return {};
}

Result<std::string> GitClient::show(const fs::path& repository, const std::string& commit,
                                    const std::string& file, const std::stop_token& stop) {
  auto output = run({"cat-file", "blob", fmt::format("{}:{}", commit, file)}, repository, stop);
  if (!output) {
    return std::move(output).error();
  }
  if (output.value().exit_code != 0) {
    return Error{errc::kNotFound, fmt::format("the commit {} has no file {}", commit, file)};
  }
  return std::move(output).value().out;
}

/// A few bytes of a repository can be a disk full of files: of one content under many names, or of nothing but zeros.
Status GitClient::checkSize(const fs::path& repository, const std::string& commit,
                            const std::stop_token& stop) {
  auto output = run({"ls-tree", "-r", "-z", "--long", "--full-tree", commit}, repository, stop);
  if (!output) {
    return std::move(output).error();
  }
  if (output.value().exit_code != 0) {
    return gitError(fmt::format("git cannot list the files of {}", commit), output.value());
  }
  // "100644 blob <object>    <size>\t<path>\0"; what is no file has "-" for its size.
  std::uint64_t bytes = 0;
  std::uint64_t files = 0;
  const std::string_view list(output.value().out);
  for (std::size_t at = 0; at < list.size();) {
    const auto end = std::min(list.find('\0', at), list.size());
    const auto entry = list.substr(at, std::min(list.find('\t', at), end) - at);
    std::uint64_t size = 0;
    const auto digits = entry.substr(entry.rfind(' ') + 1);
    std::from_chars(digits.data(), digits.data() + digits.size(), size);
    bytes += size;
    ++files;
    at = end + 1;
  }
  return checkPackageSize(bytes, files, packageLimits());
}

Status GitClient::checkout(const fs::path& repository, const std::string& commit,
                           const fs::path& target, const std::stop_token& stop) {
  if (auto size = checkSize(repository, commit, stop); !size) {
    return size;
  }
  auto output = run({fmt::format("--work-tree={}", target.string()), "checkout", "--quiet",
                     "--force", commit, "--", "."},
                    repository, stop);
  if (!output) {
    return std::move(output).error();
  }
  return output.value().exit_code == 0
             ? Status()
             : Status(gitError(fmt::format("git cannot write the files of {}", commit),
                               output.value()));
}

}  // namespace svc::installs
