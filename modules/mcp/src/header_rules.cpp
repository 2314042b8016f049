#include "header_rules.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "svc/common/json.h"
#include "svc/common/json_slices.h"

namespace svc::mcp {
namespace {

using common::Json;

Refusal mismatch(std::string message) {
  return {.code = rpc::kHeaderMismatch, .message = std::move(message), .status = 400};
}

/// Strict: the alphabet of RFC 4648 with padding.
std::optional<std::string> decodeBase64(std::string_view text) {
  if (text.size() % 4 != 0) {
    return std::nullopt;
  }
  constexpr std::string_view kAlphabet =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto padding = text.ends_with("==") ? 2U : text.ends_with('=') ? 1U : 0U;
  text.remove_suffix(padding);
  std::string decoded;
  std::uint32_t bits = 0;
  unsigned count = 0;
  for (const char c : text) {
    const auto digit = kAlphabet.find(c);
    if (digit == std::string_view::npos) {
      return std::nullopt;
    }
    bits = (bits << 6U) | static_cast<std::uint32_t>(digit);
    count += 6;
    if (count >= 8) {
      count -= 8;
      decoded.push_back(static_cast<char>((bits >> count) & 0xFFU));
    }
  }
  return decoded;
}

/// Whoever stands between could read another of them than this server does.
bool isRepeated(const http::Request& request, std::string_view name) {
  return std::count_if(request.headers.begin(), request.headers.end(),
                       [name](const http::Header& header) {
                         return http::equalsIgnoreCase(header.name, name);
                       }) > 1;
}

bool isNumber(std::string_view text, double& value) {
  const auto* const end = text.data() + text.size();
  const auto [stop, failure] = std::from_chars(text.data(), end, value);
  return failure == std::errc() && stop == end;
}

/// 42 and 42.0 are one number.
bool isSameNumber(std::string_view left, std::string_view right) {
  double one = 0;
  double other = 0;
  return left == right || (isNumber(left, one) && isNumber(right, other) && one == other);
}

using IsSame = bool (*)(std::string_view sent, std::string_view expected);
bool isSameText(std::string_view sent, std::string_view expected) { return sent == expected; }

/// The header must be there once and say this.
std::optional<Refusal> differs(const http::Request& request, std::string_view name,
                               std::string_view expected, std::string_view what,
                               IsSame is_same = isSameText) {
  const auto* const sent = request.header(name);
  if (sent == nullptr) {
    return mismatch(fmt::format("the header {} is missing; {} is \"{}\"", name, what, expected));
  }
  if (isRepeated(request, name)) {
    return mismatch(fmt::format("the header {} is there more than once", name));
  }
  const auto value = headerValue(*sent);
  if (!value) {
    return mismatch(fmt::format("the header {} is not valid Base64: \"{}\"", name, *sent));
  }
  if (!is_same(*value, expected)) {
    return mismatch(
        fmt::format("the header {} says \"{}\", {} is \"{}\"", name, *value, what, expected));
  }
  return std::nullopt;
}

constexpr const char* kAnnotation = "x-mcp-header";

/// Only what is reached through `properties` counts: of anything else the argument's place is not known. That the names are good ones is
/// for those who register tools.
void collect(const Json& schema, std::vector<std::string>& path, ParamHeaders& found) {
  if (const auto& name = schema[kAnnotation].asString(); !name.empty() && !path.empty()) {
    found.push_back({"Mcp-Param-" + name, path});
  }
  for (const auto& [member, property] : schema["properties"].members()) {
    path.push_back(member);
    collect(property, path, found);
    path.pop_back();
  }
}

/// The text of an argument; empty when there is none.
std::string argumentText(std::string_view params, const std::vector<std::string>& path) {
  std::string text(params);
  const auto into = [&text](const std::string& member) {
    const auto slices = common::JsonSlices::skim(text);
    text = slices ? std::string(slices.value().raw(member)) : std::string();
  };
  into("arguments");
  for (const auto& member : path) {
    into(member);
  }
  return text;
}

struct Expected {
  std::string value;
  IsSame is_same = isSameText;
};

/// What the header of an argument says; nothing of one that is absent, null or no primitive value.
std::optional<Expected> expectedOf(const std::string& argument) {
  const auto parsed = Json::parse(argument);
  if (!parsed || parsed.value().isNull() || parsed.value().isObject() || parsed.value().isArray()) {
    return std::nullopt;
  }
  if (parsed.value().isString()) {
    return Expected{parsed.value().asString()};
  }
  return Expected{argument, isSameNumber};
}

std::optional<Refusal> paramDiffers(const http::Request& request, const ParamHeader& header,
                                    const std::optional<Expected>& expected) {
  const auto argument = fmt::format("the argument \"{}\"", fmt::join(header.path, "."));
  if (expected) {
    return differs(request, header.name, expected->value, argument, expected->is_same);
  }
  if (request.header(header.name) != nullptr) {
    return mismatch(fmt::format("the header {} is there without {}", header.name, argument));
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> headerValue(std::string_view value) {
  constexpr std::string_view kStart = "=?base64?";
  constexpr std::string_view kEnd = "?=";
  value = http::trimmed(value);
  if (value.size() < kStart.size() + kEnd.size() || !value.starts_with(kStart) ||
      !value.ends_with(kEnd)) {
    return std::string(value);
  }
  value.remove_prefix(kStart.size());
  value.remove_suffix(kEnd.size());
  return decodeBase64(value);
}

std::optional<Refusal> headerMismatch(const http::Request& request, const Message& message,
                                      const Meta& meta) {
  if (meta.version && !meta.version->empty()) {
    if (auto refusal =
            differs(request, "MCP-Protocol-Version", *meta.version, "the version in _meta")) {
      return refusal;
    }
  }
  if (auto refusal = differs(request, "Mcp-Method", message.method, "the method")) {
    return refusal;
  }
  if (!meta.key) {
    return std::nullopt;  // the method says what is wrong with its parameters
  }
  return differs(request, "Mcp-Name", *meta.key, fmt::format("\"{}\"", keyMember(message.method)));
}

std::shared_ptr<const ParamHeaders> paramHeadersOf(const common::RawJson& tool) {
  if (tool.text().find(kAnnotation) == std::string::npos) {
    return nullptr;
  }
  const auto parsed = Json::parse(tool.text());
  ParamHeaders found;
  if (std::vector<std::string> path; parsed) {
    collect(parsed.value()["inputSchema"], path, found);
  }
  return found.empty() ? nullptr : std::make_shared<const ParamHeaders>(std::move(found));
}

std::optional<Refusal> paramMismatch(const http::Request& request, const ParamHeaders& headers,
                                     std::string_view params) {
  std::optional<Refusal> refusal;
  auto all = Json::object();
  for (const auto& header : headers) {
    const auto expected = expectedOf(argumentText(params, header.path));
    if (expected) {
      all.set(header.name, expected->value);
    }
    if (!refusal) {
      refusal = paramDiffers(request, header, expected);
    }
  }
  if (refusal) {
    refusal->data = Json::object().set("headers", std::move(all)).dump();
  }
  return refusal;
}

}  // namespace svc::mcp
