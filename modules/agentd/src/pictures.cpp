#include "pictures.h"

#include <algorithm>
#include <array>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include <Poco/SHA2Engine.h>

#include "svc/base/files.h"
#include "svc/common/media_type.h"
#include "svc/hostprotocol/agent_limits.h"
#include "svc/hostprotocol/base64.h"

namespace svc::agentd {
namespace {

namespace fs = std::filesystem;
using common::Json;

/// What a small file takes of a disk.
constexpr std::uint64_t kBlock = 4096;

std::string nameOf(std::string_view bytes, std::string_view type) {
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  engine.update(bytes.data(), static_cast<unsigned>(bytes.size()));
  // Nobody makes two pictures that agree in half of it by chance, and it is read by people.
  constexpr std::size_t kDigits = 32;
  const auto ending = type.substr(type.find('/') + 1);
  return Poco::DigestEngine::digestToHex(engine.digest()).substr(0, kDigits) + "." +
         std::string(ending == "jpeg" ? "jpg" : ending);
}

bool isPicture(const Json& value) {
  return value["type"].asString() == "image" && value["data"].isString();
}

bool hasPicture(const Json& value) {
  return isPicture(value) ||
         std::any_of(value.members().begin(), value.members().end(),
                     [](const auto& member) { return hasPicture(member.second); }) ||
         std::any_of(value.items().begin(), value.items().end(), hasPicture);
}

Json kept(const Json& value, const KeepPicture& keep) {
  if (isPicture(value)) {
    auto block = Json::object().set("type", "image").set("mimeType", value["mimeType"]);
    if (auto path = keep(value["data"].asString()); !path.empty()) {
      block.set("path", std::move(path));
    }
    return block;
  }
  if (value.isObject()) {
    Json::Object copy;
    for (const auto& [name, member] : value.members()) {
      copy.emplace_back(name, kept(member, keep));
    }
    return copy;
  }
  if (value.isArray()) {
    Json::Array copy;
    for (const auto& each : value.items()) {
      copy.push_back(kept(each, keep));
    }
    return copy;
  }
  return value;
}

/// What is said. What a tool is given is what it is given.
constexpr std::array<const char*, 2> kSaid{"content", "rawOutput"};

}  // namespace

std::string Pictures::keep(std::string_view base64) {
  // Not even decoded when it is too large.
  if (base64.size() / 4 * 3 > limits_.one + 2) {
    return {};
  }
  const auto bytes = hostprotocol::decodeBase64(base64);
  const auto type = bytes ? common::imageType(*bytes) : std::string_view();
  if (type.empty() || bytes->size() > limits_.one) {
    return {};
  }
  readFolder();
  auto name = nameOf(*bytes, type);
  const auto path = folder_ / name;
  const auto found =
      std::find_if(kept_.begin(), kept_.end(), [&](const Kept& each) { return each.name == name; });
  std::error_code failure;
  if (found != kept_.end()) {
    if (fs::exists(path, failure)) {
      fs::last_write_time(path, fs::file_time_type::clock::now(), failure);
      kept_.splice(kept_.end(), kept_, found);
      return path.string();
    }
    bytes_ -= found->bytes;
    kept_.erase(found);
  }
  const auto size = std::max<std::uint64_t>(bytes->size(), kBlock);
  makeRoom(size);
  auto written = base::makePrivateDirectory(folder_);
  if (written) {
    written = base::replaceFile(path, *bytes, {.durability = base::Durability::kLoose});
  }
  if (!written) {
    return {};
  }
  kept_.push_back({std::move(name), size});
  bytes_ += size;
  return path.string();
}

/// What is there of an earlier daemon; once.
void Pictures::readFolder() {
  if (std::exchange(is_read_, true)) {
    return;
  }
  std::vector<std::pair<fs::file_time_type, Kept>> files;
  std::error_code failure;
  for (fs::directory_iterator each(folder_, failure), end; !failure && each != end;
       each.increment(failure)) {
    std::error_code gone;
    const auto sent = each->last_write_time(gone);
    const auto size = each->file_size(gone);
    if (!gone) {
      files.emplace_back(
          sent, Kept{each->path().filename().string(), std::max<std::uint64_t>(size, kBlock)});
    }
  }
  std::sort(files.begin(), files.end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  for (auto& [sent, file] : files) {
    bytes_ += file.bytes;
    kept_.push_back(std::move(file));
  }
}

void Pictures::makeRoom(std::uint64_t bytes) {
  while (!kept_.empty() && bytes_ + bytes > limits_.all) {
    std::error_code gone;
    fs::remove(folder_ / kept_.front().name, gone);
    bytes_ -= kept_.front().bytes;
    kept_.pop_front();
  }
}

std::optional<Json> withPicturesKept(const Json& update, const KeepPicture& keep) {
  std::optional<Json> copy;
  std::size_t count = 0;
  const auto some = [&](std::string_view base64) {
    return ++count <= limits::kAgentPictures ? keep(base64) : std::string();
  };
  for (const auto* member : kSaid) {
    if (hasPicture(update[member])) {
      copy = copy ? std::move(copy) : update;
      copy->set(member, kept(update[member], some));
    }
  }
  return copy;
}

}  // namespace svc::agentd
