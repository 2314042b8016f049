#include "keys.h"

#include <sys/random.h>

#include <algorithm>
#include <array>
#include <span>

#include <Poco/SHA2Engine.h>

#include "svc/http/text.h"

namespace svc::machines {
namespace {

constexpr std::size_t kKeyBytes = 32;
constexpr std::size_t kIdBytes = 12;
constexpr std::size_t kLongestId = 64;

Result<std::string> randomHex(std::string_view prefix, std::span<unsigned char> bytes) {
  if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return Error{errc::kInternal, "the system gives no random bytes"};
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(prefix);
  for (const auto byte : bytes) {
    out.push_back(kDigits[byte >> 4U]);
    out.push_back(kDigits[byte & 15U]);
  }
  return out;
}

}  // namespace

Result<std::string> newKey(std::string_view prefix) {
  std::array<unsigned char, kKeyBytes> bytes{};
  return randomHex(prefix, bytes);
}

Result<std::string> newHostId() {
  std::array<unsigned char, kIdBytes> bytes{};
  return randomHex("host_", bytes);
}

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
