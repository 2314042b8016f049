#include "svc/common/media_type.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "svc/base/text.h"

namespace svc::common {
namespace {

constexpr std::array<std::pair<std::string_view, std::string_view>, 51> kTypes{{
    {"avif", "image/avif"},       {"bmp", "image/bmp"},
    {"c", "text/plain"},          {"cpp", "text/plain"},
    {"css", "text/css"},          {"csv", "text/csv"},
    {"flac", "audio/flac"},       {"gif", "image/gif"},
    {"go", "text/plain"},         {"gz", "application/gzip"},
    {"h", "text/plain"},          {"htm", "text/html"},
    {"html", "text/html"},        {"ico", "image/x-icon"},
    {"ini", "text/plain"},        {"java", "text/plain"},
    {"jpeg", "image/jpeg"},       {"jpg", "image/jpeg"},
    {"js", "text/javascript"},    {"json", "application/json"},
    {"log", "text/plain"},        {"m4a", "audio/mp4"},
    {"map", "application/json"},  {"md", "text/markdown"},
    {"mjs", "text/javascript"},   {"mov", "video/quicktime"},
    {"mp3", "audio/mpeg"},        {"mp4", "video/mp4"},
    {"oga", "audio/ogg"},         {"ogg", "audio/ogg"},
    {"pdf", "application/pdf"},   {"png", "image/png"},
    {"py", "text/plain"},         {"rs", "text/plain"},
    {"sh", "text/plain"},         {"svg", "image/svg+xml"},
    {"toml", "text/plain"},       {"ts", "text/plain"},
    {"tsx", "text/plain"},        {"txt", "text/plain"},
    {"wasm", "application/wasm"}, {"wav", "audio/wav"},
    {"webm", "video/webm"},       {"webmanifest", "application/manifest+json"},
    {"webp", "image/webp"},       {"woff", "font/woff"},
    {"woff2", "font/woff2"},      {"xml", "application/xml"},
    {"yaml", "application/yaml"}, {"yml", "application/yaml"},
    {"zip", "application/zip"},
}};

}  // namespace

std::string_view mediaTypeOf(std::string_view name) {
  const auto dot = name.rfind('.');
  if (dot == std::string_view::npos) {
    return {};
  }
  const auto ending = base::lowerAscii(name.substr(dot + 1));
  const auto* found = std::find_if(kTypes.begin(), kTypes.end(),
                                   [&ending](const auto& each) { return each.first == ending; });
  return found == kTypes.end() ? std::string_view{} : found->second;
}

std::string_view imageType(std::string_view bytes) {
  using namespace std::string_view_literals;
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kFirst{{
      {"\x89PNG\r\n\x1A\n"sv, "image/png"},
      {"\xFF\xD8\xFF"sv, "image/jpeg"},
      {"GIF87a"sv, "image/gif"},
      {"GIF89a"sv, "image/gif"},
  }};
  for (const auto& [first, type] : kFirst) {
    if (bytes.starts_with(first)) {
      return type;
    }
  }
  constexpr std::size_t kForm = 8;
  return bytes.starts_with("RIFF") && bytes.size() > kForm &&
                 bytes.substr(kForm).starts_with("WEBP")
             ? "image/webp"sv
             : ""sv;
}

std::string contentTypeOf(std::string_view media_type) {
  if (media_type.empty()) {
    return "application/octet-stream";
  }
  const bool is_text = media_type.starts_with("text/") || media_type == "application/json";
  return std::string(media_type) + (is_text ? "; charset=utf-8" : "");
}

}  // namespace svc::common
