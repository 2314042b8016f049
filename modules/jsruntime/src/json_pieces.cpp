#include "json_pieces.h"

#include <cstdint>
#include <cstring>
#include <string_view>

#include "js_text.h"

namespace svc::jsruntime {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101ULL;
constexpr std::uint64_t kHighBits = 0x8080808080808080ULL;
constexpr unsigned char kFirstPrintable = 0x20;

constexpr std::uint64_t eightOf(unsigned char byte) { return kOnes * byte; }
/// Not 0 when one of the eight bytes, which are ASCII, is below `limit`.
constexpr std::uint64_t anyBelow(std::uint64_t bytes, unsigned char limit) {
  return (bytes - eightOf(limit)) & ~bytes & kHighBits;
}
constexpr bool isEscaped(unsigned char byte) {
  return byte < kFirstPrintable || byte == '"' || byte == '\\';
}

/// Where the first character is that must be escaped; the length when there is none.
std::size_t plainLength(std::string_view text) {
  std::size_t at = 0;
  for (std::uint64_t eight = 0; at + sizeof(eight) <= text.size(); at += sizeof(eight)) {
    std::memcpy(&eight, text.data() + at, sizeof(eight));
    if ((anyBelow(eight, kFirstPrintable) | anyBelow(eight ^ eightOf('"'), 1) |
         anyBelow(eight ^ eightOf('\\'), 1)) != 0) {
      break;
    }
  }
  while (at < text.size() && !isEscaped(static_cast<unsigned char>(text[at]))) {
    ++at;
  }
  return at;
}

void appendEscape(char character, std::string& out) {
  constexpr std::string_view kHex = "0123456789abcdef";
  out += '\\';
  switch (character) {
    case '\b':
      out += 'b';
      break;
    case '\f':
      out += 'f';
      break;
    case '\n':
      out += 'n';
      break;
    case '\r':
      out += 'r';
      break;
    case '\t':
      out += 't';
      break;
    case '"':
    case '\\':
      out += character;
      break;
    default:
      out += "u00";
      out += kHex[static_cast<unsigned char>(character) >> 4];
      out += kHex[static_cast<unsigned char>(character) & 0xF];
  }
}

void appendQuoted(std::string_view text, std::string& out) {
  out += '"';
  while (!text.empty()) {
    const auto plain = plainLength(text);
    out += text.substr(0, plain);
    text.remove_prefix(plain);
    if (!text.empty()) {
      appendEscape(text.front(), out);
      text.remove_prefix(1);
    }
  }
  out += '"';
}

}  // namespace

bool JsonPieces::add(v8::Isolate* isolate, v8::Local<v8::String> piece, bool quoted) {
  if (!piece->IsOneByte()) {
    return false;
  }
  piece_.resize(static_cast<std::size_t>(piece->Length()));
  piece->WriteOneByte(isolate, reinterpret_cast<std::uint8_t*>(piece_.data()), 0, piece->Length(),
                      v8::String::NO_NULL_TERMINATION);
  if (!isAscii(piece_)) {
    return false;
  }
  if (quoted) {
    appendQuoted(piece_, text_);
  } else {
    text_ += piece_;
  }
  return true;
}

}  // namespace svc::jsruntime
