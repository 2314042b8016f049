#include "server_locator.h"

#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/common/codes.h"
#include "svc/common/json.h"

#include "console.h"
#include "processes.h"

namespace svc::client {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kRecordLimit = 64UL * 1024;

/// A variable that is set and not empty: an empty one means unset, as in the XDG convention.
std::optional<std::string> nonEmpty(const Environment& environment, const std::string& name) {
  auto value = environment.variable(name);
  return value && !value->empty() ? value : std::nullopt;
}

/// One address in different spellings.
std::string comparable(std::string url) {
  constexpr std::string_view kName = "//localhost";
  while (url.ends_with('/')) {
    url.pop_back();
  }
  if (const auto at = url.find(kName); at != std::string::npos) {
    url.replace(at, kName.size(), "//127.0.0.1");
  }
  return url;
}

/// A server that is named by its address gets the token only when it is the one of the data directory.
ServerAddress named(std::string url, std::string origin, const fs::path& directory) {
  const auto record = ownServerRecord(directory);
  auto token = record && record->url == url ? record->access_token : std::string();
  return {std::move(url), std::move(origin), std::nullopt, std::move(token)};
}

/// Why server.json names no server of this directory.
Error noServerOf(const fs::path& directory) {
  if (auto failure = base::unreadable(directory / "server.json")) {
    return Error{errc::kForbidden, std::move(failure->message)};
  }
  if (const auto owner = lockOwner(directory)) {
    return Error{codes::kUnreachable,
                 fmt::format("the server of {} (pid {}) is starting or ending, or its server.json, "
                             "which says where it answers, was removed: `svc server start` waits "
                             "for it, `svc server restart` writes the file again",
                             directory.string(), *owner)};
  }
  std::error_code ignored;
  const auto record = readServerRecord(directory);
  return Error{
      codes::kUnreachable,
      fmt::format("no server is running for {} ({})", directory.string(),
                  record ? fmt::format("its server.json names pid {}, which has not got this "
                                       "directory: a server that was killed, or the one of the "
                                       "directory that this is a copy of",
                                       record->pid)
                  : fs::exists(directory / "server.json", ignored)
                      ? "its server.json is not one that a server writes: a start of the server "
                        "replaces it"
                      : "there is no server.json")};
}

}  // namespace

fs::path dataDir(const ServerChoice& choice, const Environment& environment) {
  fs::path result;
  if (!choice.data_dir.empty()) {
    result = choice.data_dir;
  } else if (const auto variable = nonEmpty(environment, "SVC_DATA_DIR")) {
    result = *variable;
  } else if (const auto xdg = nonEmpty(environment, "XDG_DATA_HOME")) {
    result = fs::path(*xdg) / "svc";
  } else {
    result = environment.home / ".local" / "share" / "svc";
  }
  return (environment.working_dir / result).lexically_normal();
}

std::optional<ServerRecord> readServerRecord(const fs::path& data_dir) {
  const auto text = base::readFile(data_dir / "server.json", kRecordLimit);
  const auto parsed = text ? common::Json::parse(text.value()) : Result<common::Json>(text.error());
  if (!parsed || parsed.value()["url"].asString().empty()) {
    return std::nullopt;
  }
  const auto& json = parsed.value();
  return ServerRecord{static_cast<int>(json["pid"].asInteger()), json["url"].asString(),
                      json["version"].asString(), json["startedAt"].asInteger(),
                      json["accessToken"].asString()};
}

std::optional<ServerRecord> ownServerRecord(const fs::path& data_dir) {
  auto record = readServerRecord(data_dir);
  return record && record->pid > 0 && lockOwner(data_dir) == record->pid ? std::move(record)
                                                                         : std::nullopt;
}

Result<ServerAddress> locateServer(const ServerChoice& choice, const Environment& environment) {
  const auto directory = dataDir(choice, environment);
  if (!choice.server.empty()) {
    return named(choice.server, "--server", directory);
  }
  if (auto variable = nonEmpty(environment, "SVC_SERVER_URL");
      variable && choice.data_dir.empty()) {
    return named(std::move(*variable), "SVC_SERVER_URL", directory);
  }
  if (auto record = ownServerRecord(directory)) {
    auto url = record->url;
    auto token = record->access_token;
    return ServerAddress{std::move(url), (directory / "server.json").string(), std::move(record),
                         std::move(token)};
  }
  return noServerOf(directory);
}

Status requireOwnServer(std::string_view command, const ServerChoice& choice,
                        const Environment& environment) {
  const auto address = locateServer(choice, environment);
  if (!address || address.value().record) {
    return {};
  }
  const auto directory = dataDir(choice, environment);
  const auto record = readServerRecord(directory);
  const bool is_its = record && comparable(record->url) == comparable(address.value().url);
  if (is_its || (!record && !lockOwner(directory))) {
    return {};
  }
  return Error{
      codes::kRefused,
      fmt::format("`svc {}` is for the server of the data directory {}, and {} names {}", command,
                  directory.string(), address.value().origin, address.value().url)};
}

}  // namespace svc::client
