#include "keys.h"

#include <algorithm>

#include <Poco/SHA2Engine.h>

#include "svc/base/random.h"
#include "svc/common/record_id.h"
#include "svc/http/text.h"

namespace svc::machines {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kLongestId = 64;

}  // namespace

std::string newKey(std::string_view prefix) {
  return std::string(prefix) + base::randomHex(kKeyBytes);
}

std::string newHostId(std::int64_t now) { return common::newRecordId("host", now); }

std::string hashOf(std::string_view key) {
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  engine.update(key.data(), key.size());
  return Poco::DigestEngine::digestToHex(engine.digest());
}

bool isHostId(std::string_view text) {
  return !text.empty() && text.size() <= kLongestId &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                  c == '-' || c == '_';
         });
}

std::string_view bearerOf(const std::string* authorization) {
  constexpr std::string_view kScheme = "bearer ";
  if (authorization == nullptr) {
    return {};
  }
  const std::string_view text(*authorization);
  return http::equalsIgnoreCase(text.substr(0, kScheme.size()), kScheme)
             ? http::trimmed(text.substr(kScheme.size()))
             : std::string_view();
}

}  // namespace svc::machines
