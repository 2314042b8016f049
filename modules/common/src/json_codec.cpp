// Parsing and printing of svc::common::Json.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <unordered_map>

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/prettywriter.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "svc/common/json.h"
#include "svc/common/surrogates.h"
#include "svc/common/utf8.h"

namespace svc::common {

namespace {

constexpr std::size_t kMaxDepth = 128;
constexpr unsigned kStrict = rapidjson::kParseIterativeFlag | rapidjson::kParseFullPrecisionFlag |
                             rapidjson::kParseValidateEncodingFlag;
constexpr unsigned kRelaxed =
    kStrict | rapidjson::kParseCommentsFlag | rapidjson::kParseTrailingCommasFlag;

/// Length of the valid UTF-8 sequence at `at`, or 0.
std::size_t utf8Length(std::string_view text, std::size_t at) {
  const auto byte = [&text](std::size_t index) { return static_cast<unsigned char>(text[index]); };
  const unsigned char lead = byte(at);
  const std::size_t length = lead < 0x80                   ? 1
                             : lead >= 0xC2 && lead < 0xE0 ? 2
                             : (lead & 0xF0) == 0xE0       ? 3
                             : lead >= 0xF0 && lead < 0xF5 ? 4
                                                           : 0;
  if (length == 0 || at + length > text.size()) {
    return 0;
  }
  for (std::size_t index = 1; index < length; ++index) {
    if ((byte(at + index) & 0xC0) != 0x80) {
      return 0;
    }
  }
  // Overlong forms, surrogates and values beyond U+10FFFF.
  if (length == 3 &&
      ((lead == 0xE0 && byte(at + 1) < 0xA0) || (lead == 0xED && byte(at + 1) > 0x9F))) {
    return 0;
  }
  if (length == 4 &&
      ((lead == 0xF0 && byte(at + 1) < 0x90) || (lead == 0xF4 && byte(at + 1) > 0x8F))) {
    return 0;
  }
  return length;
}

}  // namespace

// Readers of JSON refuse the whole document for one byte.
std::string replaceInvalidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size() + 2);
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = utf8Length(text, at);
    out.append(length == 0 ? "\xEF\xBF\xBD" : text.substr(at, length));
    at += std::max<std::size_t>(length, 1);
  }
  return out;
}

bool isUtf8(std::string_view text) {
  // Nearly all text is ASCII: eight bytes at a time up to the first that is not.
  constexpr std::uint64_t kBeyondAscii = 0x8080808080808080ULL;
  std::size_t at = 0;
  for (std::uint64_t eight = 0; at + sizeof eight <= text.size(); at += sizeof eight) {
    std::memcpy(&eight, text.data() + at, sizeof eight);
    if ((eight & kBeyondAscii) != 0) {
      break;
    }
  }
  while (at < text.size()) {
    const std::size_t length = utf8Length(text, at);
    if (length == 0) {
      return false;
    }
    at += length;
  }
  return true;
}

namespace {

/// Passes the text to `emit` as a rapidjson string.
template <class Emit>
void emitText(const std::string& text, Emit emit) {
  if (isUtf8(text)) {
    emit(text.data(), static_cast<rapidjson::SizeType>(text.size()));
    return;
  }
  const auto valid = replaceInvalidUtf8(text);
  emit(valid.data(), static_cast<rapidjson::SizeType>(valid.size()));
}

/// Builds a Json from parser events. Returning false ends the parse: only depth does.
class Builder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, Builder> {
 public:
  bool Null() { return add(Json{}); }
  bool Bool(bool value) { return add(Json{value}); }
  bool Int(int value) { return add(Json{static_cast<std::int64_t>(value)}); }
  bool Uint(unsigned value) { return add(Json{static_cast<std::int64_t>(value)}); }
  bool Int64(std::int64_t value) { return add(Json{value}); }
  bool Uint64(std::uint64_t value) {
    return value <= static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())
               ? add(Json{static_cast<std::int64_t>(value)})
               : add(Json{static_cast<double>(value)});
  }
  bool Double(double value) { return add(Json{value}); }
  bool String(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    return add(Json{std::string(text, size)});
  }
  bool Key(const char* text, rapidjson::SizeType size, bool /*copy*/) {
    stack_.back().key.assign(text, size);
    return true;
  }
  bool StartObject() { return open(Json::object()); }
  bool StartArray() { return open(Json::array()); }
  bool EndObject(rapidjson::SizeType /*count*/) { return close(); }
  bool EndArray(rapidjson::SizeType /*count*/) { return close(); }

  Json take() { return std::move(root_); }
  [[nodiscard]] bool tooDeep() const { return too_deep_; }

 private:
  struct Frame {
    Json value;
    std::string key;
  };

  bool open(Json value) {
    if (stack_.size() >= kMaxDepth) {
      too_deep_ = true;
      return false;
    }
    stack_.push_back({std::move(value), {}});
    return true;
  }
  bool close() {
    Json value = std::move(stack_.back().value);
    stack_.pop_back();
    dropRepeatedKeys(value);
    return add(std::move(value));
  }
  bool add(Json value) {
    if (stack_.empty()) {
      root_ = std::move(value);
      return true;
    }
    Frame& frame = stack_.back();
    if (frame.value.isArray()) {
      frame.value.push(std::move(value));
    } else {
      objectOf(frame.value).emplace_back(std::move(frame.key), std::move(value));
    }
    return true;
  }

  static Json::Object& objectOf(Json& value);

  /// The last of several members with one key counts. Linear, because the input is anybody's.
  static void dropRepeatedKeys(Json& value) {
    if (value.members().size() < 2) {
      return;
    }
    auto& members = objectOf(value);
    std::unordered_map<std::string_view, std::size_t> last;
    for (std::size_t index = 0; index < members.size(); ++index) {
      last[members[index].first] = index;
    }
    if (last.size() == members.size()) {
      return;
    }
    Json::Object kept;
    kept.reserve(last.size());
    std::vector<bool> keep(members.size(), false);
    for (const auto& [key, index] : last) {
      keep[index] = true;
    }
    for (std::size_t index = 0; index < members.size(); ++index) {
      if (keep[index]) {
        kept.push_back(std::move(members[index]));
      }
    }
    members = std::move(kept);
  }

  std::vector<Frame> stack_;
  Json root_;
  bool too_deep_ = false;
};

template <unsigned kFlags>
Result<Json> parseWith(std::string_view text) {
  rapidjson::MemoryStream bytes(text.data(), text.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(bytes);
  rapidjson::Reader reader;
  Builder builder;
  const rapidjson::ParseResult outcome = reader.Parse<kFlags>(stream, builder);
  if (builder.tooDeep()) {
    return Error{Errc{"invalid_json"},
                 "JSON is nested deeper than 128 levels (the limit jsonDepth)"};
  }
  if (outcome.Code() == rapidjson::kParseErrorStringUnicodeSurrogateInvalid) {
    return parseWith<kFlags>(replaceLoneSurrogates(text));
  }
  if (!outcome.IsError() && bytes.Tell() != text.size()) {
    return Error{Errc{"invalid_json"},
                 "invalid JSON at byte " + std::to_string(bytes.Tell()) + ": there is a zero byte"};
  }
  if (outcome.IsError()) {
    return Error{Errc{"invalid_json"}, std::string("invalid JSON at byte ") +
                                           std::to_string(outcome.Offset()) + ": " +
                                           rapidjson::GetParseError_En(outcome.Code())};
  }
  return builder.take();
}

}  // namespace

struct JsonCodec {
  static Json::Object& object(Json& value) { return std::get<Json::Object>(value.value_); }

  template <class Writer>
  static void write(Writer& writer, const Json& value) {
    std::visit([&writer](const auto& held) { writeValue(writer, held); }, value.value_);
  }

 private:
  template <class Writer, class T>
  static void writeValue(Writer& writer, const T& held) {
    if constexpr (std::is_same_v<T, std::monostate>) {
      writer.Null();
    } else if constexpr (std::is_same_v<T, bool>) {
      writer.Bool(held);
    } else if constexpr (std::is_same_v<T, std::int64_t>) {
      writer.Int64(held);
    } else if constexpr (std::is_same_v<T, double>) {
      if (!writer.Double(held)) {
        writer.Null();  // NaN and infinities have no JSON form
      }
    } else if constexpr (std::is_same_v<T, std::string>) {
      emitText(held, [&](const char* text, auto size) { writer.String(text, size); });
    } else if constexpr (std::is_same_v<T, Json::Array>) {
      writer.StartArray();
      for (const auto& item : held) {
        write(writer, item);
      }
      writer.EndArray();
    } else if constexpr (std::is_same_v<T, Json::Object>) {
      writer.StartObject();
      for (const auto& [key, item] : held) {
        emitText(key, [&](const char* text, auto size) { writer.Key(text, size); });
        write(writer, item);
      }
      writer.EndObject();
    } else {
      writer.RawValue(held.text.data(), held.text.size(), rapidjson::kStringType);
    }
  }
};

namespace {
Json::Object& Builder::objectOf(Json& value) { return JsonCodec::object(value); }
}  // namespace

Result<Json> Json::parse(std::string_view text) { return parseWith<kStrict>(text); }

Result<Json> Json::parseRelaxed(std::string_view text) { return parseWith<kRelaxed>(text); }

std::string Json::dump() const {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  JsonCodec::write(writer, *this);
  return {buffer.GetString(), buffer.GetSize()};
}

std::string Json::dumpPretty() const {
  rapidjson::StringBuffer buffer;
  rapidjson::PrettyWriter<rapidjson::StringBuffer> writer(buffer);
  writer.SetIndent(' ', 2);
  JsonCodec::write(writer, *this);
  return {buffer.GetString(), buffer.GetSize()};
}

namespace {

/// A string without escapes, as names and ids are.
bool isPlainString(std::string_view text) {
  constexpr unsigned char kFirstShown = 0x20;
  constexpr unsigned char kFirstBeyondAscii = 0x80;
  return text.size() >= 2 && text.front() == '"' && text.back() == '"' &&
         std::all_of(text.begin() + 1, text.end() - 1, [](char each) {
           const auto byte = static_cast<unsigned char>(each);
           return byte >= kFirstShown && byte < kFirstBeyondAscii && each != '\\' && each != '"';
         });
}

}  // namespace

bool isValidJson(std::string_view text) {
  if (text == "true" || text == "false" || isPlainString(text)) {
    return true;
  }
  rapidjson::MemoryStream bytes(text.data(), text.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(bytes);
  rapidjson::Reader reader;
  rapidjson::BaseReaderHandler<> ignore;
  const rapidjson::ParseResult outcome = reader.Parse<kStrict>(stream, ignore);
  return outcome.Code() == rapidjson::kParseErrorStringUnicodeSurrogateInvalid
             ? isValidJson(replaceLoneSurrogates(text))
             : !outcome.IsError() && bytes.Tell() == text.size();
}

namespace {

void appendEscape(std::string& out, unsigned char character) {
  constexpr std::string_view kHex = "0123456789abcdef";
  switch (character) {
    case '"':
      out += "\\\"";
      return;
    case '\\':
      out += "\\\\";
      return;
    case '\n':
      out += "\\n";
      return;
    case '\r':
      out += "\\r";
      return;
    case '\t':
      out += "\\t";
      return;
    default:
      out += "\\u00";
      out += kHex[character >> 4U];
      out += kHex[character & 0xFU];
  }
}

}  // namespace

void appendJsonString(std::string& out, std::string_view text) {
  out.push_back('"');
  for (std::size_t at = 0; at < text.size();) {
    const auto character = static_cast<unsigned char>(text[at]);
    if (character < 0x20 || character == '"' || character == '\\') {
      appendEscape(out, character);
      ++at;
      continue;
    }
    const std::size_t length = utf8Length(text, at);
    if (length == 0) {
      out += "\xEF\xBF\xBD";
      ++at;
    } else {
      out.append(text.substr(at, length));
      at += length;
    }
  }
  out.push_back('"');
}

}  // namespace svc::common
