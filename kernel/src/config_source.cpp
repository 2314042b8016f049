// Text to checked configuration values; the kernel's only use of a JSON library.
#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <rapidjson/document.h>
#include <rapidjson/encodedstream.h>
#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "config.h"

namespace svc::kernel {
namespace {

constexpr unsigned kRelaxed = rapidjson::kParseCommentsFlag | rapidjson::kParseTrailingCommasFlag |
                              rapidjson::kParseIterativeFlag;

std::ptrdiff_t lineOf(std::string_view text, std::size_t offset) {
  return 1 + std::count(text.begin(),
                        text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size())),
                        '\n');
}

/// Looks for an object that has a key twice, wherever it is: who parses it sees one of the values only. Ends the parse there.
class TwiceFinder : public rapidjson::BaseReaderHandler<rapidjson::UTF8<>, TwiceFinder> {
 public:
  struct Found {
    std::string key;
    std::size_t first;
    std::size_t again;
  };

  explicit TwiceFinder(const rapidjson::MemoryStream& at) : at_(at) {}
  bool StartObject() { return objects_.emplace_back(), true; }
  bool EndObject(rapidjson::SizeType /*count*/) { return objects_.pop_back(), true; }
  bool Key(const char* name, rapidjson::SizeType size, bool /*copy*/) {
    const auto [known, is_new] = objects_.back().emplace(std::string(name, size), at_.Tell());
    if (!is_new) {
      found_ = {known->first, known->second, at_.Tell()};
    }
    return is_new;
  }
  [[nodiscard]] const std::optional<Found>& found() const { return found_; }

 private:
  const rapidjson::MemoryStream& at_;
  std::vector<std::map<std::string, std::size_t>> objects_;  ///< offsets by key
  std::optional<Found> found_;
};

/// Of text that is JSON.
Status checkNoKeyTwice(const std::string& text, const std::string& file_name) {
  rapidjson::MemoryStream bytes(text.data(), text.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(bytes);
  TwiceFinder finder(bytes);
  rapidjson::Reader().Parse<kRelaxed>(stream, finder);
  if (!finder.found()) {
    return {};
  }
  const auto& [key, first, again] = *finder.found();
  return Error{errc::kInvalidArgument,
               fmt::format("{}:{}: \"{}\" is there already, in line {}; keep one of them",
                           file_name, lineOf(text, again), key, lineOf(text, first))};
}

std::string toText(const rapidjson::Value& value) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  value.Accept(writer);
  return {buffer.GetString(), buffer.GetSize()};
}

struct Written {
  std::string key;
  std::string written;
  std::string value;
};

/// `written` is the place as the file has it: `"log" > "level"` and `"log.level"` are one key.
void flatten(const std::string& prefix, const std::string& written, const rapidjson::Value& value,
             const std::function<bool(const std::string&)>& is_leaf, std::vector<Written>& out) {
  if (value.IsObject() && !is_leaf(prefix)) {
    for (const auto& member : value.GetObject()) {
      const std::string name(member.name.GetString(), member.name.GetStringLength());
      flatten(prefix.empty() ? name : fmt::format("{}.{}", prefix, name),
              fmt::format("{}{}\"{}\"", written, written.empty() ? "" : " > ", name), member.value,
              is_leaf, out);
    }
    return;
  }
  if (value.IsNull()) {
    return;  // null is "not set"
  }
  out.push_back(
      {prefix, written,
       value.IsString() ? std::string(value.GetString(), value.GetStringLength()) : toText(value)});
}

Result<std::string> checkInteger(const std::string& value) {
  std::int64_t number = 0;
  const auto [end, failure] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (failure != std::errc{} || end != value.data() + value.size()) {
    return Error{errc::kInvalidArgument, fmt::format("expected an integer, got \"{}\"", value)};
  }
  return value;
}

/// Accepts a JSON array of strings, or plain text with commas (flags and environment).
Result<std::string> checkStringList(const std::string& value) {
  rapidjson::Document document;
  document.Parse<kRelaxed>(value.c_str());
  if (!document.HasParseError() && document.IsArray()) {
    for (const auto& item : document.GetArray()) {
      if (!item.IsString()) {
        return Error{errc::kInvalidArgument,
                     fmt::format("expected a list of strings, got {}", value)};
      }
    }
    return toText(document);
  }
  rapidjson::Document list(rapidjson::kArrayType);
  std::size_t start = 0;
  while (start < value.size()) {
    const auto comma = std::min(value.find(',', start), value.size());
    if (comma > start) {
      list.PushBack(
          rapidjson::Value(value.data() + start, static_cast<rapidjson::SizeType>(comma - start),
                           list.GetAllocator()),
          list.GetAllocator());
    }
    start = comma + 1;
  }
  return toText(list);
}

std::string_view typeName(ConfigType type) {
  switch (type) {
    case ConfigType::kString:
      return "string";
    case ConfigType::kInteger:
      return "number";
    case ConfigType::kBoolean:
      return "boolean";
    case ConfigType::kStringList:
      return "list";
    case ConfigType::kJson:
      return "json";
  }
  return "string";
}

}  // namespace

Result<ConfigPairs> flattenJson(const std::string& text, const std::string& file_name,
                                const std::function<bool(const std::string&)>& is_leaf) {
  ConfigPairs pairs;
  if (text.empty()) {
    return pairs;
  }
  rapidjson::Document document;
  document.Parse<kRelaxed>(text.data(), text.size());
  if (document.HasParseError()) {
    return Error{errc::kInvalidArgument,
                 fmt::format("{}:{}: {}", file_name, lineOf(text, document.GetErrorOffset()),
                             rapidjson::GetParseError_En(document.GetParseError()))};
  }
  if (!document.IsObject()) {
    return Error{errc::kInvalidArgument, fmt::format("{}: expected a JSON object", file_name)};
  }
  if (auto once = checkNoKeyTwice(text, file_name); !once) {
    return once.error();
  }
  std::vector<Written> all;
  flatten("", "", document, is_leaf, all);
  for (auto& [key, written, value] : all) {
    const auto other = std::find_if(all.begin(), all.end(),
                                    [&key = key](const Written& each) { return each.key == key; });
    if (&other->key != &key) {
      return Error{errc::kInvalidArgument,
                   fmt::format("{}: \"{}\" is set twice, as {} and as {}; keep one of them",
                               file_name, key, other->written, written)};
    }
  }
  for (auto& each : all) {
    pairs.emplace_back(std::move(each.key), std::move(each.value));
  }
  return pairs;
}

Result<std::string> checkConfigValue(ConfigType type, const std::string& value) {
  switch (type) {
    case ConfigType::kString:
      return value;
    case ConfigType::kInteger:
      return checkInteger(value);
    case ConfigType::kBoolean:
      if (value == "true" || value == "false") {
        return value;
      }
      return Error{errc::kInvalidArgument,
                   fmt::format("expected true or false, got \"{}\"", value)};
    case ConfigType::kStringList:
      return checkStringList(value);
    case ConfigType::kJson: {
      rapidjson::Document document;
      document.Parse<kRelaxed>(value.c_str());
      if (document.HasParseError()) {
        return Error{errc::kInvalidArgument, fmt::format("expected JSON, got \"{}\"", value)};
      }
      return toText(document);
    }
  }
  return value;
}

std::string quoted(const std::string& text) {
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  writer.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
  return {buffer.GetString(), buffer.GetSize()};
}

std::string describeConfig(const std::vector<ConfigKey>& keys, const IConfig& config) {
  auto sorted = keys;
  std::sort(sorted.begin(), sorted.end(),
            [](const ConfigKey& left, const ConfigKey& right) { return left.key < right.key; });
  // Two modules may understand the same key.
  sorted.erase(std::unique(sorted.begin(), sorted.end(),
                           [](const ConfigKey& left, const ConfigKey& right) {
                             return left.key == right.key;
                           }),
               sorted.end());
  rapidjson::StringBuffer buffer;
  rapidjson::Writer<rapidjson::StringBuffer> writer(buffer);
  const auto text = [&writer](std::string_view value) {
    writer.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
  };
  const auto value = [&](ConfigType type, std::string_view shown) {
    if (shown.empty()) {
      writer.Null();
    } else if (type == ConfigType::kString) {
      text(shown);
    } else {
      writer.RawValue(shown.data(), shown.size(), rapidjson::kObjectType);
    }
  };
  writer.StartArray();
  for (const auto& key : sorted) {
    writer.StartObject();
    writer.Key("key");
    text(key.key);
    writer.Key("type");
    text(typeName(key.type));
    writer.Key("value");
    value(key.type, config.getString(key.key));
    writer.Key("default");
    value(key.type, key.default_value);
    writer.Key("origin");
    text(config.origin(key.key));
    writer.Key("help");
    text(key.help);
    writer.EndObject();
  }
  writer.EndArray();
  return {buffer.GetString(), buffer.GetSize()};
}

std::vector<std::string> parseStringList(const std::string& json) {
  std::vector<std::string> items;
  rapidjson::Document document;
  document.Parse(json.c_str());
  if (!document.HasParseError() && document.IsArray()) {
    for (const auto& item : document.GetArray()) {
      items.emplace_back(item.GetString(), item.GetStringLength());
    }
  }
  return items;
}

}  // namespace svc::kernel
