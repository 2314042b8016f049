#include "js_text.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

namespace svc::jsruntime {

namespace {

/// Below this a copy is cheaper than the bookkeeping of an external string.
constexpr std::size_t kExternalFrom = 4096;

/// V8 reads the bytes in place and deletes the resource with the string. It is told how many they are: otherwise it sees
/// only the few bytes of the string object, and lets garbage of any size lie.
class ExternalText final : public v8::String::ExternalOneByteStringResource {
 public:
  ExternalText(v8::Isolate* isolate, std::string text) : isolate_(isolate), text_(std::move(text)) {
    isolate_->AdjustAmountOfExternalAllocatedMemory(static_cast<std::int64_t>(text_.size()));
  }
  ExternalText(const ExternalText&) = delete;
  ExternalText& operator=(const ExternalText&) = delete;
  ~ExternalText() override {
    isolate_->AdjustAmountOfExternalAllocatedMemory(-static_cast<std::int64_t>(text_.size()));
  }
  [[nodiscard]] const char* data() const override { return text_.data(); }
  [[nodiscard]] std::size_t length() const override { return text_.size(); }

 private:
  v8::Isolate* const isolate_;
  const std::string text_;
};

class StaticText final : public v8::String::ExternalOneByteStringResource {
 public:
  explicit StaticText(std::string_view text) : text_(text) {}
  [[nodiscard]] const char* data() const override { return text_.data(); }
  [[nodiscard]] std::size_t length() const override { return text_.size(); }

 private:
  const std::string_view text_;
};

v8::MaybeLocal<v8::String> newAscii(v8::Isolate* isolate, std::string_view text) {
  return v8::String::NewFromOneByte(isolate, reinterpret_cast<const std::uint8_t*>(text.data()),
                                    v8::NewStringType::kNormal, static_cast<int>(text.size()));
}

std::string latin1ToUtf8(const std::string& text) {
  std::string out;
  out.reserve(text.size() + text.size() / 4);
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (byte < 0x80) {
      out.push_back(character);
    } else {
      out.push_back(static_cast<char>(0xC0 | (byte >> 6)));
      out.push_back(static_cast<char>(0x80 | (byte & 0x3F)));
    }
  }
  return out;
}

}  // namespace

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

v8::MaybeLocal<v8::String> newString(v8::Isolate* isolate, std::string_view text) {
  if (text.size() > static_cast<std::size_t>(v8::String::kMaxLength)) {
    return {};
  }
  if (isAscii(text)) {
    return newAscii(isolate, text);
  }
  return v8::String::NewFromUtf8(isolate, text.data(), v8::NewStringType::kNormal,
                                 static_cast<int>(text.size()));
}

v8::MaybeLocal<v8::String> staticString(v8::Isolate* isolate, std::string_view text) {
  return isAscii(text) ? v8::String::NewExternalOneByte(isolate, new StaticText(text))
                       : newString(isolate, text);
}

v8::MaybeLocal<v8::String> adoptString(v8::Isolate* isolate, std::string&& text) {
  if (text.size() < kExternalFrom ||
      text.size() > static_cast<std::size_t>(v8::String::kMaxLength) || !isAscii(text)) {
    return newString(isolate, text);
  }
  auto* resource = new ExternalText(isolate, std::move(text));
  auto string = v8::String::NewExternalOneByte(isolate, resource);
  if (string.IsEmpty()) {
    delete resource;
  }
  return string;  // NOLINT(clang-analyzer-cplusplus.NewDeleteLeaks): V8 owns the resource now
}

v8::Local<v8::String> literal(v8::Isolate* isolate, std::string_view text) {
  return newString(isolate, text).ToLocalChecked();
}

std::string textOf(v8::Isolate* isolate, v8::Local<v8::String> text) {
  const auto length = static_cast<std::size_t>(text->Length());
  if (text->IsOneByte()) {
    std::string out(length, '\0');
    text->WriteOneByte(isolate, reinterpret_cast<std::uint8_t*>(out.data()), 0,
                       static_cast<int>(length),
                       v8::String::NO_NULL_TERMINATION | v8::String::HINT_MANY_WRITES_EXPECTED);
    return isAscii(out) ? out : latin1ToUtf8(out);
  }
  // Three bytes per UTF-16 unit always suffice, which spares V8 a counting pass.
  std::string out(length * 3, '\0');
  const int written =
      text->WriteUtf8(isolate, out.data(), static_cast<int>(out.size()), nullptr,
                      v8::String::NO_NULL_TERMINATION | v8::String::REPLACE_INVALID_UTF8 |
                          v8::String::HINT_MANY_WRITES_EXPECTED);
  out.resize(static_cast<std::size_t>(std::max(written, 0)));
  return out;
}

std::string textOf(v8::Isolate* isolate, v8::Local<v8::Value> value) {
  return value->IsString() ? textOf(isolate, value.As<v8::String>()) : std::string();
}

v8::Local<v8::Uint8Array> newBytes(v8::Isolate* isolate, std::string_view bytes) {
  const auto buffer = v8::ArrayBuffer::New(isolate, bytes.size());
  std::copy(bytes.begin(), bytes.end(), static_cast<char*>(buffer->GetBackingStore()->Data()));
  return v8::Uint8Array::New(buffer, 0, bytes.size());
}

std::string bytesOf(v8::Local<v8::Value> value) {
  std::string bytes;
  if (value->IsArrayBufferView()) {
    const auto view = value.As<v8::ArrayBufferView>();
    bytes.resize(view->ByteLength());
    view->CopyContents(bytes.data(), bytes.size());
  }
  return bytes;
}

}  // namespace svc::jsruntime
