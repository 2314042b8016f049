#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace svc::machines {

/// The prefix and 32 random bytes, in hexadecimal.
[[nodiscard]] std::string newKey(std::string_view prefix);
/// As the ids of all records (common::newRecordId). Those that earlier versions made have 24 hexadecimal digits, and stay.
[[nodiscard]] std::string newHostId(std::int64_t now);
/// What is stored of a key: its SHA-256, in hexadecimal.
[[nodiscard]] std::string hashOf(std::string_view key);
/// 1–64 letters, digits, '-' and '_': what an id may be that a client brings along.
[[nodiscard]] bool isHostId(std::string_view text);
/// "Bearer x" → "x"; empty when the header is absent or of another scheme.
[[nodiscard]] std::string_view bearerOf(const std::string* authorization);

}  // namespace svc::machines
