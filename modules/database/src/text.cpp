#include "text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace svc::database {

namespace {

bool isAscii(std::string_view text) {
  std::uint64_t seen = 0;
  std::size_t at = 0;
  for (; at + sizeof(seen) <= text.size(); at += sizeof(seen)) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, sizeof(word));
    seen |= word;
  }
  for (; at < text.size(); ++at) {
    seen |= static_cast<unsigned char>(text[at]);
  }
  return (seen & 0x8080808080808080ULL) == 0;
}

}  // namespace

v8::MaybeLocal<v8::String> newText(v8::Isolate* isolate, std::string_view utf8) {
  if (utf8.size() > static_cast<std::size_t>(v8::String::kMaxLength)) {
    return {};
  }
  const auto size = static_cast<int>(utf8.size());
  if (isAscii(utf8)) {
    return v8::String::NewFromOneByte(isolate, reinterpret_cast<const std::uint8_t*>(utf8.data()),
                                      v8::NewStringType::kNormal, size);
  }
  return v8::String::NewFromUtf8(isolate, utf8.data(), v8::NewStringType::kNormal, size);
}

v8::Local<v8::String> literal(v8::Isolate* isolate, std::string_view text) {
  return v8::String::NewFromUtf8(isolate, text.data(), v8::NewStringType::kInternalized,
                                 static_cast<int>(text.size()))
      .ToLocalChecked();
}

std::string utf8Of(v8::Isolate* isolate, v8::Local<v8::String> text) {
  // Three bytes per UTF-16 unit always suffice, which spares V8 a counting pass; for a long one it would be a waste.
  constexpr int kLong = 64 * 1024;
  std::string out(text->Length() > kLong ? static_cast<std::size_t>(text->Utf8Length(isolate))
                                         : static_cast<std::size_t>(text->Length()) * 3,
                  '\0');
  const int written =
      text->WriteUtf8(isolate, out.data(), static_cast<int>(out.size()), nullptr,
                      v8::String::NO_NULL_TERMINATION | v8::String::REPLACE_INVALID_UTF8);
  out.resize(static_cast<std::size_t>(std::max(written, 0)));
  return out;
}

void throwTypeError(v8::Isolate* isolate, std::string_view message) {
  isolate->ThrowException(v8::Exception::TypeError(literal(isolate, message)));
}

void throwRangeError(v8::Isolate* isolate, std::string_view message) {
  isolate->ThrowException(v8::Exception::RangeError(literal(isolate, message)));
}

void throwError(v8::Isolate* isolate, std::string_view message) {
  isolate->ThrowException(v8::Exception::Error(literal(isolate, message)));
}

}  // namespace svc::database
