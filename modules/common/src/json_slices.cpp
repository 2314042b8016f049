#include "svc/common/json_slices.h"

#include <cstddef>

#include <rapidjson/error/en.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>

#include "svc/base/text.h"
#include "svc/common/json.h"
#include "svc/common/surrogates.h"

#include "json_depth.h"

namespace svc::common {
namespace {

constexpr unsigned kSliceFlags = rapidjson::kParseIterativeFlag |
                                 rapidjson::kParseNumbersAsStringsFlag |
                                 rapidjson::kParseValidateEncodingFlag;

/// Notes where the values of the outermost object begin and end.
class Slicer {
 public:
  using Members = std::vector<std::pair<std::string, std::string_view>>;

  Slicer(std::string_view text, const rapidjson::MemoryStream& stream, Members& out)
      : text_(text), stream_(stream), out_(out) {}

  // NOLINTBEGIN(readability-identifier-naming): the names RapidJSON calls
  bool Null() { return valueEnded(); }
  bool Bool(bool /*value*/) { return valueEnded(); }
  bool Int(int /*value*/) { return valueEnded(); }
  bool Uint(unsigned /*value*/) { return valueEnded(); }
  bool Int64(std::int64_t /*value*/) { return valueEnded(); }
  bool Uint64(std::uint64_t /*value*/) { return valueEnded(); }
  bool Double(double /*value*/) { return valueEnded(); }
  bool RawNumber(const char* /*text*/, rapidjson::SizeType /*length*/, bool /*copy*/) {
    return valueEnded();
  }
  bool String(const char* /*text*/, rapidjson::SizeType /*length*/, bool /*copy*/) {
    return valueEnded();
  }
  bool Key(const char* text, rapidjson::SizeType length, bool /*copy*/) {
    if (depth_ == 1) {
      out_.emplace_back(std::string(text, length), std::string_view{});
      key_end_ = stream_.Tell();
    }
    return true;
  }
  bool StartObject() { return ++depth_ <= kMaxSliceDepth; }
  bool EndObject(rapidjson::SizeType /*members*/) { return ended(); }
  bool StartArray() { return depth_ > 0 && ++depth_ <= kMaxSliceDepth; }
  bool EndArray(rapidjson::SizeType /*items*/) { return ended(); }

  // NOLINTEND(readability-identifier-naming)

 private:
  bool ended() {
    --depth_;
    // RapidJSON calls before it takes the bracket.
    return depth_ == 0 || valueEnded(stream_.Tell() + 1);
  }
  bool valueEnded() { return valueEnded(stream_.Tell()); }
  bool valueEnded(std::size_t end) {
    if (depth_ == 0) {
      return false;  // not an object
    }
    if (depth_ == 1) {
      const auto between = text_.substr(key_end_, end - key_end_);
      out_.back().second = base::trimmed(between.substr(between.find(':') + 1));
    }
    return true;
  }

  std::string_view text_;
  const rapidjson::MemoryStream& stream_;
  Members& out_;
  std::size_t depth_ = 0;
  std::size_t key_end_ = 0;
};

/// The members of `parsed` as they stand in `text`, which is as long.
rapidjson::ParseResult sliceInto(Slicer::Members& out, std::string_view text,
                                 std::string_view parsed) {
  rapidjson::MemoryStream stream(parsed.data(), parsed.size());
  Slicer slicer(text, stream, out);
  rapidjson::Reader reader;
  const auto outcome = reader.Parse<kSliceFlags>(stream, slicer);
  // A zero byte looks like the end of the text.
  return outcome.IsError() || stream.Tell() == parsed.size()
             ? outcome
             : rapidjson::ParseResult(rapidjson::kParseErrorDocumentRootNotSingular, stream.Tell());
}

}  // namespace

Result<JsonSlices> JsonSlices::parse(std::string_view text) {
  JsonSlices slices;
  auto failure = sliceInto(slices.members_, text, text);
  if (failure.Code() == rapidjson::kParseErrorStringUnicodeSurrogateInvalid) {
    slices.members_.clear();
    failure = sliceInto(slices.members_, text, replaceLoneSurrogates(text));
  }
  if (failure.IsError()) {
    return Error{errc::kInvalidArgument,
                 failure.Code() == rapidjson::kParseErrorTermination
                     ? "expected a JSON object, at most 132 levels deep"
                     : std::string(rapidjson::GetParseError_En(failure.Code())) + " (at byte " +
                           std::to_string(failure.Offset()) + ")"};
  }
  return slices;
}

std::string_view JsonSlices::raw(std::string_view key) const {
  for (auto member = members_.rbegin(); member != members_.rend(); ++member) {
    if (member->first == key) {
      return member->second;
    }
  }
  return {};
}

std::string JsonSlices::text(std::string_view key) const {
  const auto value = raw(key);
  if (!value.starts_with('"')) {
    return {};
  }
  // Most strings here are names and ids.
  if (value.find('\\') == std::string_view::npos) {
    return std::string(value.substr(1, value.size() - 2));
  }
  auto parsed = Json::parse(value);
  return parsed ? parsed.value().asString() : std::string{};
}

}  // namespace svc::common
