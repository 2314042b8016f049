#include "npm_client.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/random.h"
#include "svc/common/json.h"

#include "dependency_specs.h"

namespace svc::installs {
namespace {

namespace fs = std::filesystem;
using common::Json;

// The service supplies it, so that it is neither downloaded nor asked for in a registry.
constexpr std::string_view kSdkPackage = "@get-svc/plugin-sdk";

// npm prepares a dependency from git with an npm of its own in the clone, whose settings that one reads: they name programs to run, and
// servers to ask with the environment in their addresses. It knows itself by this variable, and ends before it has read anything. As no
// scripts run, there is nothing to prepare.
constexpr const char* kIsPreparing = "_PACOTE_NO_PREPARE_";
constexpr const char* kNoPreparing =
    "--import=data:text/javascript,process.env._PACOTE_NO_PREPARE_&&process.exit()";

/// What npm says went wrong: the error object of --json, else the last lines of what it printed.
std::string npmFailure(const Output& output) {
  const auto parsed = Json::parse(output.out);
  if (parsed && parsed.value()["error"].isObject()) {
    const auto& error = parsed.value()["error"];
    return error["summary"].asString().empty() ? error["code"].asString()
                                               : error["summary"].asString();
  }
  constexpr std::size_t kTail = 600;
  const auto& text = output.err.empty() ? output.out : output.err;
  return text.size() > kTail ? text.substr(text.size() - kTail) : text;
}

std::string npmCode(const Output& output) {
  const auto parsed = Json::parse(output.out);
  return parsed ? parsed.value()["error"]["code"].asString() : std::string();
}

Error npmError(const std::string& package, const Output& output) {
  const auto code = npmCode(output);
  if (code == "E404" || code == "ETARGET") {
    return refusal("not_found", fmt::format("{}: the registry does not have it: {}", package,
                                            npmFailure(output)));
  }
  if (code == "EINTEGRITY") {
    return refusal("integrity",
                   fmt::format("what the registry sent for {} is not what it announced: {}",
                               package, npmFailure(output)));
  }
  return {errc::kUnavailable, fmt::format("npm failed for {}: {}", package, npmFailure(output))};
}

Result<Json> parseOutput(const std::string& package, const Output& output) {
  if (output.exit_code != 0) {
    return npmError(package, output);
  }
  auto parsed = Json::parse(output.out);
  if (!parsed || (!parsed.value().isObject() && !parsed.value().isArray())) {
    return refusal("not_found",
                   fmt::format("{}: the registry does not have such a version", package));
  }
  // Newer versions of npm answer a list where older ones answered its only element.
  if (parsed.value().isArray() && !parsed.value().items().empty()) {
    return Json(parsed.value().items().back());
  }
  return parsed;
}

std::string hostOf(const std::string& url) {
  const auto scheme = url.find("://");
  const auto end = scheme == std::string::npos ? scheme : url.find('/', scheme + 3);
  return url.substr(0, end);
}

Result<std::string> readText(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  if (!in) {
    return Error{errc::kUnavailable, fmt::format("cannot read {}", file.string())};
  }
  return text;
}

Status writeText(const fs::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  return out ? Status()
             : Status(Error{errc::kUnavailable,
                            fmt::format("cannot write {}: is the disk full?", file.string())});
}

/// What a registry names is fetched by its protocol; that of the package itself may be none but that of registries.
std::vector<std::pair<std::string, std::string>> nothingButRegistries() {
  return {{"npm_config_git", "no-git-for-registries"},
          {"npm_config_allow_git", "none"},
          {"npm_config_allow_file", "none"},
          {"npm_config_allow_directory", "none"}};
}

std::string nodeOptions() {
  const auto* const own = std::getenv("NODE_OPTIONS");  // NOLINT(concurrency-mt-unsafe)
  return own == nullptr ? kNoPreparing : fmt::format("{} {}", own, kNoPreparing);
}

/// A file as it was, put back when this goes away.
class Restored {
 public:
  explicit Restored(fs::path file) : file_(std::move(file)) {
    std::error_code ignored;
    existed_ = fs::exists(file_, ignored);
    if (auto text = readText(file_); text) {
      text_ = std::move(text).value();
    }
  }
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;
  ~Restored() {
    if (existed_) {
      (void)writeText(file_, text_);
      return;
    }
    std::error_code ignored;
    fs::remove(file_, ignored);
  }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  fs::path file_;
  bool existed_ = false;
  std::string text_;
};

/// A package's own settings of npm, which name programs to run and servers to ask, with the server's environment in their addresses: out
/// of npm's sight for this object's life.
class SettingsAside {
 public:
  explicit SettingsAside(const fs::path& root)
      : file_(root / ".npmrc"), aside_(root / fmt::format(".npmrc-{}", base::randomHex(kName))) {
    std::error_code failure;
    fs::rename(file_, aside_, failure);
    moved_ = !failure;
    gone_ = moved_ || !fs::exists(fs::symlink_status(file_, failure));
  }
  SettingsAside(const SettingsAside&) = delete;
  SettingsAside& operator=(const SettingsAside&) = delete;
  ~SettingsAside() {
    if (moved_) {
      std::error_code ignored;
      fs::remove_all(file_, ignored);
      fs::rename(aside_, file_, ignored);
    }
  }
  [[nodiscard]] bool gone() const { return gone_; }

 private:
  static constexpr std::size_t kName = 8;
  fs::path file_;
  fs::path aside_;
  bool moved_ = false;
  bool gone_ = false;
};

/// The manifest with nothing but what production needs: npm asks the registry about everything else as well, and some
/// of that (the SDK, a workspace's neighbours) is not there.
Json productionManifest(const Json& manifest) {
  auto out = Json::object();
  for (const auto* key : {"name", "version", "overrides"}) {
    if (const auto* value = manifest.find(key)) {
      out.set(key, *value);
    }
  }
  for (const auto* key : {"dependencies", "optionalDependencies"}) {
    auto kept = Json::object();
    for (const auto& [name, spec] : manifest[key].members()) {
      if (name != kSdkPackage) {
        kept.set(name, spec);
      }
    }
    if (!kept.members().empty()) {
      out.set(key, std::move(kept));
    }
  }
  return out;
}

}  // namespace

Result<Output> NpmClient::ask(std::vector<std::string> arguments, const SourceSpec& spec,
                              const fs::path& directory, const std::stop_token& stop) {
  return run(std::move(arguments), spec, directory, nothingButRegistries(), limits::kAskTool, stop);
}

Result<Output> NpmClient::run(std::vector<std::string> arguments, const SourceSpec& spec,
                              const fs::path& directory, Variables more,
                              std::chrono::milliseconds timeout, const std::stop_token& stop) {
  Command command;
  command.argv = {"npm"};
  for (auto& argument : arguments) {
    command.argv.push_back(std::move(argument));
  }
  if (!spec.registry.empty()) {
    command.argv.push_back("--registry=" + spec.registry);
    if (spec.package.starts_with('@')) {
      command.argv.push_back(fmt::format(
          "--{}:registry={}", spec.package.substr(0, spec.package.find('/')), spec.registry));
    }
  }
  command.directory = directory;
  // A person waits: one more try, and soon.
  command.environment = {{"npm_config_update_notifier", "false"},
                         {"npm_config_fund", "false"},
                         {"npm_config_audit", "false"},
                         {"npm_config_progress", "false"},
                         {"npm_config_loglevel", "error"},
                         {"npm_config_ignore_scripts", "true"},
                         {"npm_config_color", "false"},
                         {"npm_config_fetch_retries", "1"},
                         {"npm_config_fetch_retry_mintimeout", "500"},
                         {"npm_config_fetch_retry_maxtimeout", "2000"},
                         {"NODE_OPTIONS", nodeOptions()},
                         {"NO_COLOR", "1"}};
  command.timeout = timeout;
  std::ranges::move(more, std::back_inserter(command.environment));
  command.removed_environment = {kIsPreparing};
  return processes_.run(command, stop);
}

Result<PackageVersions> NpmClient::versions(const SourceSpec& spec, const fs::path& directory,
                                            const std::stop_token& stop) {
  auto output =
      ask({"view", spec.package, "versions", "dist-tags", "--json"}, spec, directory, stop);
  if (!output) {
    return std::move(output).error();
  }
  auto parsed = parseOutput(spec.package, output.value());
  if (!parsed) {
    return std::move(parsed).error();
  }
  PackageVersions out;
  const auto& versions = parsed.value()["versions"];
  if (versions.isString()) {
    out.versions.push_back(versions.asString());
  }
  for (const auto& version : versions.items()) {
    out.versions.push_back(version.asString());
  }
  for (const auto& [tag, version] : parsed.value()["dist-tags"].members()) {
    out.tags.emplace(tag, version.asString());
  }
  return out;
}

Result<PackageInfo> NpmClient::info(const SourceSpec& spec, const std::string& version,
                                    const fs::path& directory, const std::stop_token& stop) {
  const auto name = fmt::format("{}@{}", spec.package, version);
  auto output = ask({"view", name, "--json"}, spec, directory, stop);
  if (!output) {
    return std::move(output).error();
  }
  auto parsed = parseOutput(name, output.value());
  if (!parsed) {
    return std::move(parsed).error();
  }
  const auto& manifest = parsed.value();
  const auto& dist = manifest["dist"];
  const auto& tarball = dist["tarball"].asString();
  if (auto address = checkTarball(tarball, spec, directory, stop); !address) {
    return std::move(address).error();
  }
  PackageInfo out{.manifest = manifest.dump(),
                  .version = manifest["version"].asString(),
                  .integrity = dist["integrity"].asString(),
                  .registry = hostOf(tarball)};
  if (out.version != version) {
    return refusal("identity_mismatch",
                   fmt::format("{}: the registry describes version \"{}\"", name, out.version));
  }
  if (out.integrity.empty()) {
    return refusal("integrity",
                   fmt::format("{}: the registry gives no integrity for the package", name));
  }
  return out;
}

Status NpmClient::checkTarball(const std::string& tarball, const SourceSpec& spec,
                               const fs::path& directory, const std::stop_token& stop) {
  if (isFetchUrl(tarball)) {
    return {};
  }
  // A registry that the machine's user has chosen may be one without TLS: what it has comes from nowhere else.
  if (spec.registry.empty() && tarball.starts_with("http://")) {
    const auto scope = spec.package.starts_with('@')
                           ? spec.package.substr(0, spec.package.find('/')) + ":registry"
                           : std::string();
    for (const auto& key : {scope, std::string("registry")}) {
      const auto chosen = key.empty() ? Result<Output>(Output{})
                                      : ask({"config", "get", key}, spec, directory, stop);
      if (!chosen) {
        return chosen.error();
      }
      if (!hostOf(tarball).empty() && hostOf(chosen.value().out) == hostOf(tarball)) {
        return {};
      }
    }
  }
  return refusal(
      "not_found",
      fmt::format("{}: the registry says that the package is at {}: only https addresses "
                  "are fetched",
                  spec.package, tarball));
}

Result<fs::path> NpmClient::download(const SourceSpec& spec, const std::string& version,
                                     const fs::path& directory, const std::stop_token& stop) {
  const auto name = fmt::format("{}@{}", spec.package, version);
  auto output = run({"pack", name, "--json", "--pack-destination", directory.string()}, spec,
                    directory, nothingButRegistries(), limits::kFetchTool, stop);
  if (!output) {
    return std::move(output).error();
  }
  if (output.value().exit_code != 0) {
    return npmError(name, output.value());
  }
  // The name npm prints is not the name it writes in every version; there is one file.
  std::error_code failure;
  for (const auto& each : fs::directory_iterator(directory, failure)) {
    if (each.path().extension() == ".tgz") {
      return each.path();
    }
  }
  return Error{errc::kUnavailable, fmt::format("npm downloaded nothing for {}", name)};
}

Status NpmClient::installDependencies(const fs::path& root, const fs::path& within,
                                      const std::stop_token& stop) {
  const Restored manifest(root / "package.json");
  const auto parsed = Json::parse(manifest.text());
  if (!parsed) {
    return refusal("no_manifest", "package.json is not JSON: " + parsed.error().message);
  }
  const auto production = productionManifest(parsed.value());
  if (production["dependencies"].isNull() && production["optionalDependencies"].isNull()) {
    return {};
  }
  if (auto checked = checkDependencies(production, root, within); !checked) {
    return checked;
  }
  const SettingsAside settings(root);
  if (!settings.gone()) {
    return Error{errc::kUnavailable,
                 fmt::format("cannot set {} aside", (root / ".npmrc").string())};
  }
  const Restored lock(root / "package-lock.json");
  if (auto written = writeText(root / "package.json", production.dumpPretty()); !written) {
    return written;
  }
  auto output =
      run({"install", "--ignore-scripts", "--omit=dev", "--legacy-peer-deps", "--no-audit",
           "--no-fund", "--install-links", "--json",
           // Not the workspace that it may be part of, whose settings are a stranger's as well.
           fmt::format("--prefix={}", root.string())},
          {}, root, {}, limits::kFetchTool, stop);
  if (!output) {
    return std::move(output).error();
  }
  if (output.value().exit_code != 0) {
    return npmError("the dependencies", output.value());
  }
  return checkInstalledDependencies(root, within);
}

}  // namespace svc::installs
