#include "mcp_headers.h"

#include <algorithm>

#include "svc/common/json.h"
#include "svc/hostprotocol/base64.h"

namespace svc::client {
namespace {

constexpr int kHeaderMismatch = -32020;

}  // namespace

std::string_view memberNamedBy(std::string_view method) {
  return method == "resources/read"                          ? "uri"
         : method == "tools/call" || method == "prompts/get" ? "name"
                                                             : std::string_view();
}

std::vector<std::pair<std::string, std::string>> headersAskedFor(const std::string& text) {
  const auto answer = common::Json::parse(text);
  std::vector<std::pair<std::string, std::string>> headers;
  if (answer && answer.value()["error"]["code"].asInteger() == kHeaderMismatch) {
    for (const auto& [name, value] : answer.value()["error"]["data"]["headers"].members()) {
      headers.emplace_back(name, mcpHeaderValue(value.asString()));
    }
  }
  return headers;
}

std::string mcpHeaderValue(const std::string& value) {
  const bool plain =
      std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~'; }) &&
      !value.starts_with(' ') && !value.ends_with(' ') && !value.starts_with("=?base64?");
  if (plain) {
    return value;
  }
  return "=?base64?" + hostprotocol::encodeBase64(value) + "?=";
}

}  // namespace svc::client
