#include "credential.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <limits>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/common/json.h"
#include "svc/hostprotocol/credential_file.h"

namespace svc::serverlink {
namespace {

using common::Json;

constexpr mode_t kOthers = 077;
constexpr std::size_t kFileLimit = 256UL * 1024;

Error systemError(std::string_view what, const std::filesystem::path& path) {
  return Error{errc::kUnavailable, fmt::format("cannot {} {}: {}", what, path.string(),
                                               std::generic_category().message(errno))};
}

using ServerUser = base::SocketOwner;

constexpr const char* kUntold = "unknown";

/// A number the system could never say is that of nobody: a damaged record lets no user in.
std::optional<ServerUser> readUser(const Json& json) {
  if (json.isNull()) {
    return std::nullopt;
  }
  if (json.isString() && json.asString() == kUntold) {
    return ServerUser{};
  }
  const auto number = json.asInteger(-1);
  const bool possible =
      json.isInteger() && number >= 0 && number < std::numeric_limits<uid_t>::max();
  return ServerUser{ServerUser::Kind::kUser,
                    possible ? static_cast<uid_t>(number) : std::numeric_limits<uid_t>::max()};
}

Json userJson(const ServerUser& owner) {
  return owner.kind == ServerUser::Kind::kUser ? Json(owner.uid) : Json(kUntold);
}

}  // namespace

CredentialFile::CredentialFile(std::filesystem::path directory, std::shared_ptr<spdlog::logger> log)
    : path_(std::move(directory) / hostprotocol::credential_file::kName), log_(std::move(log)) {}

Status CredentialFile::makePrivate() const {
  struct stat facts {};
  if (::stat(path_.c_str(), &facts) != 0) {
    return systemError("read", path_);
  }
  if ((facts.st_mode & kOthers) == 0) {
    return {};
  }
  log_->warn(
      "{} could be read by other users of this machine; it is private now, but whoever has read it "
      "has the key: enroll "
      "this machine again if that is possible",
      path_.string());
  return ::chmod(path_.c_str(), S_IRUSR | S_IWUSR) == 0 ? Status() : systemError("protect", path_);
}

Result<std::optional<Credential>> CredentialFile::load() const {
  std::error_code failure;
  if (!std::filesystem::exists(path_, failure) && !failure) {
    return std::optional<Credential>{};
  }
  if (auto status = makePrivate(); !status) {
    return std::move(status).error();
  }
  const auto text = base::readFile(path_, kFileLimit);
  if (!text) {
    return text.error();
  }
  const auto parsed = Json::parse(text.value());
  Credential credential;
  if (parsed) {
    const auto& json = parsed.value();
    credential = {json["serverUrl"].asString(),
                  json[hostprotocol::credential_file::kHostId].asString(),
                  json["hostKey"].asString(),
                  json["hostType"].asString(),
                  json["serverCertificate"].asString(),
                  readUser(json["serverUser"])};
    if (const auto& mark = json[hostprotocol::credential_file::kOfServer]; mark.isBool()) {
      credential.of_server = mark.asBool();
    }
  }
  if (credential.server_url.empty() || credential.host_id.empty() || credential.host_key.empty() ||
      (credential.host_type != "persistent" && credential.host_type != "ephemeral")) {
    return Error{
        errc::kInvalidArgument,
        fmt::format("{} is damaged; remove it and enroll this machine again (\"svc machine "
                    "enroll\" on the server says how)",
                    path_.string())};
  }
  return std::optional(std::move(credential));
}

Status CredentialFile::save(const Credential& credential) const {
  auto json = Json::object()
                  .set("serverUrl", credential.server_url)
                  .set(std::string(hostprotocol::credential_file::kHostId), credential.host_id)
                  .set("hostKey", credential.host_key)
                  .set("hostType", credential.host_type);
  if (!credential.server_certificate.empty()) {
    json.set("serverCertificate", credential.server_certificate);
  }
  if (credential.server_user) {
    json.set("serverUser", userJson(*credential.server_user));
  }
  if (credential.of_server) {
    json.set(std::string(hostprotocol::credential_file::kOfServer), *credential.of_server);
  }
  return base::replaceFile(path_, json.dumpPretty() + "\n");
}

Status CredentialFile::remove() const {
  return ::unlink(path_.c_str()) == 0 || errno == ENOENT ? Status() : systemError("remove", path_);
}

}  // namespace svc::serverlink
