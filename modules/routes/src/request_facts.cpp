#include "request_facts.h"

#include <algorithm>
#include <array>
#include <cstdint>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/http/text.h"

namespace svc::routes {
namespace {

/// A header is bytes; in JavaScript each is one character.
void appendBytes(std::string& out, std::string_view bytes) {
  out.push_back('"');
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7f) {
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", byte);
    } else if (c == '"' || c == '\\') {
      out.push_back('\\');
      out.push_back(c);
    } else {
      out.push_back(c);
    }
  }
  out.push_back('"');
}

/// The characters of UTF-8 text as bytes; one that is not a byte becomes '?'.
std::string toBytes(std::string_view text) {
  std::string bytes;
  bytes.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto lead = static_cast<unsigned char>(text[i]);
    if (lead < 0x80) {
      bytes.push_back(text[i]);
    } else if ((lead == 0xC2 || lead == 0xC3) && i + 1 < text.size()) {
      const auto next = static_cast<unsigned char>(text[++i]);
      bytes.push_back(static_cast<char>(((lead & 0x03U) << 6U) | (next & 0x3FU)));
    } else if ((lead & 0xC0U) != 0x80) {
      bytes.push_back('?');
    }
  }
  return bytes;
}

bool isHostText(std::string_view host) {
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view(".-_:[]").find(c) != std::string_view::npos;
  });
}

/// The address the client asked for. Bytes that a URL cannot hold are escaped.
std::string urlOf(const http::Request& request) {
  const auto* host = request.header("host");
  std::string url = request.secure ? "https://" : "http://";
  url += host != nullptr && isHostText(*host) ? *host : "localhost";
  const auto append = [&url](std::string_view text) {
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte <= 0x20 || byte >= 0x7f) {
        fmt::format_to(std::back_inserter(url), "%{:02X}", byte);
      } else {
        url.push_back(c);
      }
    }
  };
  append(request.path);
  if (!request.query.empty()) {
    append("?");
    append(request.query);
  }
  return url;
}

bool hasBody(const http::Request& request) {
  const auto* length = request.header("content-length");
  return !request.body.empty() || request.header("transfer-encoding") != nullptr ||
         (length != nullptr && *length != "0");
}

bool belongsToConnection(std::string_view name) {
  constexpr std::array<std::string_view, 10> kNames{
      "connection", "keep-alive",     "proxy-connection",   "te",  "trailer", "transfer-encoding",
      "upgrade",    "content-length", "proxy-authenticate", "date"};
  return std::any_of(kNames.begin(), kNames.end(), [name](std::string_view reserved) {
    return http::equalsIgnoreCase(reserved, name);
  });
}

}  // namespace

std::string requestFacts(const http::Request& request, std::string_view id,
                         std::string_view route) {
  std::string json = R"({"id":)";
  common::appendJsonString(json, id);
  json += R"(,"route":)";
  common::appendJsonString(json, route);
  json += R"(,"method":)";
  common::appendJsonString(json, request.method);
  json += R"(,"url":)";
  common::appendJsonString(json, urlOf(request));
  json += hasBody(request) ? R"(,"hasBody":true,"headers":[)" : R"(,"hasBody":false,"headers":[)";
  for (const auto& header : request.headers) {
    json += json.back() == '[' ? "[" : ",[";
    appendBytes(json, header.name);
    json += ',';
    appendBytes(json, header.value);
    json += ']';
  }
  json += "]}";
  return json;
}

Result<http::Response> responseHead(std::string_view text) {
  auto json = common::Json::parse(text);
  if (!json) {
    return std::move(json).error();
  }
  http::Response response;
  response.status = static_cast<unsigned>(json.value()["status"].asInteger());
  response.content_type.clear();
  for (const auto& header : json.value()["headers"].items()) {
    if (header.items().size() != 2) {
      continue;
    }
    auto name = toBytes(header.items()[0].asString());
    if (!belongsToConnection(name)) {
      response.headers.push_back({std::move(name), toBytes(header.items()[1].asString())});
    }
  }
  return response;
}

}  // namespace svc::routes
