#include "dependencies.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "svc/common/limits/builds.h"

#include "text.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;
using common::Json;
using Words = std::vector<std::string>;

Words operator+(Words left, const Words& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

InstallReport failed(std::string problem) {
  InstallReport report;
  report.outcome = InstallReport::Outcome::kFailed;
  report.problem = std::move(problem);
  return report;
}

/// The member of `packages` that stands for the SDK in npm's lock files.
std::string lockKey() { return "node_modules/" + std::string(kSdkPackage); }

}  // namespace

std::optional<fs::path> resolvePackage(const fs::path& from, const std::string& package) {
  std::error_code ignored;
  for (auto at = from;; at = at.parent_path()) {
    auto candidate = at / "node_modules" / package / "package.json";
    if (fs::exists(candidate, ignored)) {
      return candidate.parent_path();
    }
    if (!at.has_relative_path()) {
      return std::nullopt;
    }
  }
}

std::vector<std::string> lastLines(std::string_view output) {
  Words lines;
  while (!output.empty()) {
    const auto end = std::min(output.find('\n'), output.size());
    auto line = oneLine(output.substr(0, end));
    if (line.find_first_not_of(' ') != std::string::npos) {
      lines.push_back(std::move(line));
    }
    output.remove_prefix(std::min(end + 1, output.size()));
  }
  if (lines.size() > limits::kNpmTail) {
    lines.erase(lines.begin(), lines.end() - static_cast<Words::difference_type>(limits::kNpmTail));
  }
  return lines;
}

std::string installCommand(Registry registry, const CarriedSdk& sdk) {
  return registry == Registry::kHasSdk
             ? std::string(kInstallCommand)
             : fmt::format("{} --no-save {}", kInstallCommand, sdk.tarball.string());
}

std::string carriedNote(Registry registry, const CarriedSdk& sdk) {
  if (registry == Registry::kHasSdk) {
    return {};
  }
  return fmt::format("{} {} is the copy that comes with this svc; the registry {}.", kSdkPackage,
                     sdk.version,
                     registry == Registry::kUnreachable ? "cannot be reached" : "does not have it");
}

Registry Dependencies::askRegistry() {
  const auto answer =
      children_.run({.argv = {"npm", "view", fmt::format("{}@{}", kSdkPackage, sdk_.version),
                              "version", "--json", "--fetch-retries=0", "--fetch-timeout=5000"},
                     .directory = directory_},
                    {});
  if (!answer) {
    return Registry::kLacksSdk;
  }
  const auto& output = answer.value().output;
  const auto says = [&](std::string_view text) { return output.find(text) != std::string::npos; };
  // npm of some versions succeeds without an answer when only the version is missing.
  if (answer.value().exit_code == 0) {
    return says('"' + sdk_.version + '"') ? Registry::kHasSdk : Registry::kLacksSdk;
  }
  for (const std::string_view code :
       {"ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH",
        "EHOSTUNREACH", "ENOTCACHED", "ERR_SOCKET_TIMEOUT"}) {
    if (says(code)) {
      return Registry::kUnreachable;
    }
  }
  return Registry::kLacksSdk;
}

InstallReport Dependencies::install(Registry registry, const IChildRunner::Tick& tick) {
  Words further;
  if (registry == Registry::kUnreachable) {
    // It would try each package again and again, for minutes.
    further.emplace_back("--offline");
  }
  if (registry != Registry::kHasSdk) {
    // Without saving, npm takes the file for the pinned version and leaves package.json alone.
    further.insert(further.end(), {"--no-save", sdk_.tarball.string()});
  }
  auto report = runNpm(further, tick);
  report.registry = registry;
  const bool installed = report.outcome == InstallReport::Outcome::kInstalled;
  if (installed && registry != Registry::kHasSdk) {
    writeLock();
  }
  if (report.outcome == InstallReport::Outcome::kFailed && registry == Registry::kUnreachable) {
    report.problem +=
        "; the registry cannot be reached, and npm's cache may not hold every package";
  }
  return report;
}

InstallReport Dependencies::runNpm(const Words& further, const IChildRunner::Tick& tick) {
  const Words install{"npm", "install", "--include=dev", "--no-fund", "--no-audit"};
  auto ended = children_.run(
      {.argv = install + Words{"--prefer-offline"} + further, .directory = directory_}, tick);
  // The cached list of versions can be older than the pins.
  if (ended && ended.value().exit_code != 0 && !ended.value().interrupted &&
      ended.value().output.find("ETARGET") != std::string::npos) {
    ended = children_.run({.argv = install + further, .directory = directory_}, tick);
  }
  if (!ended) {
    return failed(ended.error().code == errc::kNotFound
                      ? "npm is not on PATH: install Node.js 20 or newer"
                      : ended.error().message);
  }
  const auto& outcome = ended.value();
  if (outcome.interrupted) {
    InstallReport report;
    report.outcome = InstallReport::Outcome::kInterrupted;
    return report;
  }
  if (outcome.exit_code != 0) {
    auto report = failed(fmt::format("npm ended with exit code {}", outcome.exit_code));
    report.tail = lastLines(outcome.output);
    return report;
  }
  return {};
}

/// Installing without saving leaves no lock (or the old one), and then a later `npm install` in an empty directory would
/// ask the registry for the SDK. npm has noted where it came from in its own copy of the lock.
void Dependencies::writeLock() {
  const auto read = [](const fs::path& directory, const char* name) -> std::optional<PackageFile> {
    auto file = readJsonFile(directory / name);
    return file ? std::optional(std::move(file).value()) : std::nullopt;
  };
  const auto installed = read(directory_ / "node_modules", ".package-lock.json");
  auto lock = read(directory_, "package-lock.json");
  if (installed && lock) {
    const auto& entry = installed->json["packages"][lockKey()];
    if (entry.isObject() && !(lock->json["packages"][lockKey()] == entry)) {
      auto packages = lock->json["packages"];
      packages.set(lockKey(), entry);
      lock->json.set("packages", std::move(packages));
      if (!writePackageFile(*lock)) {
        return;
      }
    }
  }
  // When it fails there is just no lock; what is installed stays as it is.
  static_cast<void>(
      children_.run({.argv = {"npm", "install", "--package-lock-only", "--offline", "--include=dev",
                              "--ignore-scripts", "--no-fund", "--no-audit"},
                     .directory = directory_},
                    {}));
}

std::string Dependencies::installedSdk() const {
  const auto found = resolvePackage(directory_, std::string(kSdkPackage));
  const auto package = found ? readPackageFile(*found) : Result<PackageFile>(PackageFile{});
  return package ? package.value().json["version"].asString() : std::string();
}

bool Dependencies::removePartOfSdk() const {
  const auto found = resolvePackage(directory_, std::string(kSdkPackage));
  std::error_code failure;
  if (!found || installedSdk() != sdk_.version || fs::is_symlink(*found, failure)) {
    return false;
  }
  const auto is_there = [&](const fs::directory_entry& carried) {
    const auto installed = *found / "dist" / carried.path().lexically_relative(sdk_.files);
    std::error_code unreadable;
    return fs::file_size(installed, unreadable) == carried.file_size(unreadable);
  };
  for (const auto& each : fs::recursive_directory_iterator(sdk_.files, failure)) {
    if (each.is_regular_file(failure) && !is_there(each)) {
      return fs::remove_all(*found, failure) > 0;
    }
  }
  return false;
}

std::vector<std::string> Dependencies::missing(const Json& manifest) const {
  std::set<std::string> names;
  for (const auto* const block : {"dependencies", "devDependencies"}) {
    for (const auto& member : manifest[block].members()) {
      if (!resolvePackage(directory_, member.first)) {
        names.insert(member.first);
      }
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace svc::client
