#include "proxy.h"

#include <algorithm>
#include <cctype>
#include <sstream>

#include <Poco/Base64Encoder.h>
#include <Poco/Exception.h>
#include <Poco/URI.h>
#include <fmt/format.h>

#include "svc/base/text.h"

namespace svc::serverlink {
namespace {

std::string base64(const std::string& text) {
  std::ostringstream out;
  Poco::Base64Encoder encoder(out);
  encoder.rdbuf()->setLineLength(0);
  encoder << text;
  encoder.close();
  return out.str();
}

/// "http://user:password@proxy:3128", also without a scheme. Nothing when it is not one.
std::optional<Proxy> parseProxy(const std::string& text) {
  try {
    const Poco::URI uri(text.find("://") == std::string::npos ? "http://" + text : text);
    if (uri.getScheme() != "http" || uri.getHost().empty()) {
      return std::nullopt;
    }
    Proxy proxy{.host = uri.getHost(), .port = uri.getPort()};
    if (!uri.getUserInfo().empty()) {
      std::string decoded;
      Poco::URI::decode(uri.getUserInfo(), decoded);
      proxy.authorization = "Basic " + base64(decoded);
    }
    return proxy;
  } catch (const Poco::Exception&) {
    return std::nullopt;
  }
}

/// The entries of NO_PROXY, without spaces and leading dots.
std::vector<std::string> entriesOf(const std::string& list) {
  std::vector<std::string> entries;
  std::string entry;
  for (std::istringstream in(base::lowerAscii(list)); std::getline(in, entry, ',');) {
    std::erase_if(entry, [](unsigned char each) { return std::isspace(each) != 0; });
    if (entry.starts_with("*.")) {
      entry.erase(0, 1);
    }
    if (entry.starts_with('.')) {
      entry.erase(0, 1);
    }
    if (!entry.empty()) {
      entries.push_back(entry);
    }
  }
  return entries;
}

bool names(const std::string& entry, const std::string& host) {
  return entry == "*" || entry == host || host.ends_with("." + entry);
}

}  // namespace

ProxySettings::ProxySettings(const std::function<std::string(const char* name)>& variable) {
  const auto first = [&](std::initializer_list<const char*> candidates) -> std::optional<Proxy> {
    for (const char* name : candidates) {
      const auto text = variable(name);
      if (text.empty()) {
        continue;
      }
      auto proxy = parseProxy(text);
      if (!proxy) {
        problems_.push_back(
            fmt::format("{} is ignored: expected the address of an HTTP proxy such "
                        "as http://proxy.example.com:3128",
                        name));
      }
      return proxy;
    }
    return std::nullopt;
  };
  plain_ = first({"http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"});
  tls_ = first({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"});
  const auto direct = variable("no_proxy");
  direct_ = entriesOf(direct.empty() ? variable("NO_PROXY") : direct);
}

std::optional<Proxy> ProxySettings::forServer(const ServerAddress& server) const {
  const auto& proxy = server.tls ? tls_ : plain_;
  if (!proxy || server.isLoopback()) {
    return std::nullopt;
  }
  const auto host = base::lowerAscii(server.host);
  const auto port = ":" + std::to_string(server.port);
  for (const auto& entry : direct_) {
    if (names(entry, host) ||
        (entry.ends_with(port) && names(entry.substr(0, entry.size() - port.size()), host))) {
      return std::nullopt;
    }
  }
  return proxy;
}

}  // namespace svc::serverlink
