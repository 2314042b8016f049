#include "daemon_directory.h"

#include <optional>

#include "svc/base/files.h"
#include "svc/common/json.h"
#include "svc/hostprotocol/credential_file.h"

namespace svc::machines {
namespace {

namespace fs = std::filesystem;
namespace file = hostprotocol::credential_file;
using common::Json;

/// Nothing where there is no record, or none that can be read: the daemon itself says so.
std::optional<Json> recordIn(const fs::path& directory) {
  constexpr std::size_t kMost = 256UL * 1024;
  const auto text = base::readFile(directory / file::kName, kMost);
  if (!text) {
    return std::nullopt;
  }
  auto parsed = Json::parse(text.value());
  return parsed ? std::optional(std::move(parsed).value()) : std::nullopt;
}

bool isOfAnotherServer(const Json& record, const std::string& own_host_id) {
  const auto& mark = record[file::kOfServer];
  return mark.isBool() ? !mark.asBool() : record[file::kHostId].asString() != own_host_id;
}

}  // namespace

fs::path directoryOfOwnDaemon(const fs::path& data, const std::string& own_host_id) {
  auto usual = data / "hostd";
  auto other = data / "machine";
  if (recordIn(other)) {
    return other;
  }
  const auto record = recordIn(usual);
  return record && isOfAnotherServer(*record, own_host_id) ? other : usual;
}

}  // namespace svc::machines
