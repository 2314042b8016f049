#include "svc/skillfiles/tree_transfer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "svc/common/limits/skills.h"

namespace svc::skillfiles {
namespace {

using common::Json;

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
constexpr std::size_t kGroupBytes = 3;
constexpr std::size_t kCharacters = 4;
constexpr unsigned kBits = 6;
constexpr std::uint32_t kMask = 0x3FU;

std::optional<std::string> decodeBase64(std::string_view text) {
  if (text.size() % kCharacters != 0) {
    return std::nullopt;
  }
  std::size_t padding = 0;
  while (padding < 2 && text.ends_with('=')) {
    text.remove_suffix(1);
    ++padding;
  }
  std::string bytes;
  bytes.reserve(text.size() / kCharacters * kGroupBytes + kGroupBytes);
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const auto value = kDigits.find(c);
    if (value == std::string_view::npos) {
      return std::nullopt;
    }
    bits = (bits << kBits) | static_cast<std::uint32_t>(value);
    count += kBits;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<char>((bits >> count) & 0xFFU));
    }
  }
  return bytes;
}

Error malformed(std::string what) { return {errc::kInvalidArgument, std::move(what)}; }

}  // namespace

std::string encodeBase64(std::string_view bytes) {
  std::string text;
  text.reserve((bytes.size() + 2) / kGroupBytes * kCharacters);
  for (std::size_t at = 0; at < bytes.size(); at += kGroupBytes) {
    const auto piece = bytes.substr(at, kGroupBytes);
    std::uint32_t bits = 0;
    for (std::size_t index = 0; index < kGroupBytes; ++index) {
      bits = (bits << 8U) | (index < piece.size() ? static_cast<unsigned char>(piece[index]) : 0U);
    }
    for (std::size_t index = 0; index < kCharacters; ++index) {
      const auto shift = kBits * static_cast<unsigned>(kCharacters - 1 - index);
      text += index <= piece.size() ? kDigits[(bits >> shift) & kMask] : '=';
    }
  }
  return text;
}

Result<std::string> packTree(const std::filesystem::path& directory, const SkillTree& tree) {
  std::string text = R"({"ok":true,"files":[)";
  for (const auto& file : tree.files) {
    const auto bytes = readTreeFile(directory, file.path);
    if (!bytes) {
      return bytes.error();
    }
    if (digestOf(bytes.value()) != file.digest) {
      return Error{errc::kConflict,
                   fmt::format("{} is not what it was when the skill was read", file.path)};
    }
    text += fmt::format(R"({}{{"path":{},"executable":{},"dataBase64":"{}"}})",
                        text.ends_with('[') ? "" : ",", common::jsonString(file.path),
                        file.executable, encodeBase64(bytes.value()));
  }
  return text + "]}";
}

Result<UnpackedTree> unpackTree(const Json& packed) {
  if (!packed["files"].isArray()) {
    return malformed("a tree must have files");
  }
  UnpackedTree unpacked;
  auto& tree = unpacked.tree;
  for (const auto& file : packed["files"].items()) {
    const auto& path = file["path"].asString();
    if (!isPlainPath(path)) {
      return malformed(fmt::format("\"{}\" is no path below a skill", shownName(path)));
    }
    auto bytes = decodeBase64(file["dataBase64"].asString());
    if (!bytes) {
      return malformed(fmt::format("{}: dataBase64 is no Base64", path));
    }
    tree.bytes += bytes->size();
    if (tree.bytes > limits::kSkillTreeBytes || tree.files.size() >= limits::kSkillTreeFiles) {
      return malformed(fmt::format("more than {} files or {} bytes (limit skill-tree)",
                                   limits::kSkillTreeFiles, limits::kSkillTreeBytes));
    }
    tree.files.push_back({.path = path,
                          .size = bytes->size(),
                          .digest = digestOf(*bytes),
                          .executable = file["executable"].asBool()});
    if (!unpacked.contents.emplace(path, *std::move(bytes)).second) {
      return malformed(fmt::format("{} is there twice", path));
    }
  }
  std::sort(tree.files.begin(), tree.files.end(),
            [](const SkillFile& left, const SkillFile& right) { return left.path < right.path; });
  tree.digest = treeDigest(tree.files);
  return unpacked;
}

}  // namespace svc::skillfiles
