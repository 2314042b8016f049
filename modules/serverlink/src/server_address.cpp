#include "server_address.h"

#include <Poco/Exception.h>
#include <Poco/Net/IPAddress.h>
#include <Poco/URI.h>
#include <fmt/format.h>

namespace svc::serverlink {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

Error wrong(const std::string& text, std::string_view why) {
  return Error{errc::kInvalidArgument,
               fmt::format("\"{}\" is not the address of a server: {}; expected one such as "
                           "https://svc.example.com or http://127.0.0.1:4700",
                           text, why)};
}

}  // namespace

Result<ServerAddress> ServerAddress::parse(const std::string& text) {
  try {
    const Poco::URI uri(text);
    ServerAddress address;
    if (uri.getScheme() != "http" && uri.getScheme() != "https") {
      return wrong(text, "it does not begin with http:// or https://");
    }
    address.tls = uri.getScheme() == "https";
    address.host = uri.getHost();
    address.port = uri.getPort();
    address.base_path = uri.getPath();
    if (address.host.empty()) {
      return wrong(text, "it names no host");
    }
    if (address.port == 0) {
      return wrong(text, "it has no usable port");
    }
    if (!uri.getUserInfo().empty()) {
      return wrong(text, "a user name or password has no use here");
    }
    if (!uri.getRawQuery().empty() || !uri.getFragment().empty()) {
      return wrong(text, "it ends with the path, without ? and #");
    }
    while (address.base_path.ends_with('/')) {
      address.base_path.pop_back();
    }
    return address;
  } catch (const Poco::Exception&) {
    return wrong(text, "it is malformed");
  }
}

std::string ServerAddress::authority() const {
  const auto name = host.find(':') == std::string::npos ? host : "[" + host + "]";
  const auto usual = tls ? kHttpsPort : kHttpPort;
  return port == usual ? name : fmt::format("{}:{}", name, port);
}

std::string ServerAddress::text() const {
  return fmt::format("{}://{}{}", tls ? "https" : "http", authority(), base_path);
}

bool ServerAddress::isLoopback() const {
  Poco::Net::IPAddress address;
  return host == "localhost" ||
         (Poco::Net::IPAddress::tryParse(host, address) && address.isLoopback());
}

}  // namespace svc::serverlink
