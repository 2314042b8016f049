#include "config_rules.h"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include <fmt/format.h>

#include "listen_address.h"

namespace svc::http {
namespace {

constexpr const char* kLoopback = "127.0.0.1";

/// Whether the guard takes these settings beside harmless ones.
Status asked(GuardSettings settings) {
  const auto policy = GuardPolicy::create(std::move(settings));
  return policy ? Status() : Status(policy.error());
}

/// Binds to a free port there, for a moment.
Status isOfThisMachine(const std::string& host) {
  boost::asio::io_context context;
  boost::system::error_code failure;
  const auto endpoint = listenEndpoint(context, host, 0, failure);
  if (!failure) {
    // Asio's open() sets close-on-exec afterwards: a program that is started in between would have the port.
    const auto protocol = endpoint.protocol();
    const int descriptor = ::socket(protocol.family(), SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (descriptor < 0) {
      failure.assign(errno, boost::system::system_category());
    } else {
      boost::asio::ip::tcp::acceptor probe(context, protocol, descriptor);
      probe.bind(endpoint, failure);
    }
  }
  return failure ? Status(Error{errc::kUnavailable,
                                fmt::format("expected an address of this machine, got \"{}\": {}",
                                            host, failure.message())})
                 : Status();
}

}  // namespace

GuardSettings guardSettings(const IConfig& config) {
  return {.listen_host = config.getString("listen.host"),
          .allowed_hosts = config.getStringList("listen.allowedHosts"),
          .allowed_origins = config.getStringList("listen.allowedOrigins"),
          .trusted_proxies = config.getStringList("listen.trustedProxies"),
          .app_url = config.getString("appUrl"),
          .local_users = config.getStringList("listen.localUsers")};
}

Status isListenHost(const IConfig& config, std::string_view key) {
  const auto host = config.getString(key);
  if (host.empty()) {
    return Error{errc::kInvalidArgument, "expected an address or a name, got \"\""};
  }
  if (auto status = isOfThisMachine(host); !status) {
    return status;
  }
  // Not their form: that is what the rule of their own key says.
  const bool named = !config.getStringList("listen.allowedHosts").empty();
  return asked(
      {.listen_host = host,
       .allowed_hosts = named ? std::vector<std::string>{kLoopback} : std::vector<std::string>{}});
}

Status areAllowedHosts(const IConfig& config, std::string_view key) {
  return asked({.listen_host = kLoopback, .allowed_hosts = config.getStringList(key)});
}

Status areAllowedOrigins(const IConfig& config, std::string_view key) {
  return asked({.listen_host = kLoopback, .allowed_origins = config.getStringList(key)});
}

Status areTrustedProxies(const IConfig& config, std::string_view key) {
  return asked({.listen_host = kLoopback, .trusted_proxies = config.getStringList(key)});
}

Status areLocalUsers(const IConfig& config, std::string_view key) {
  const auto policy =
      GuardPolicy::create({.listen_host = kLoopback, .local_users = config.getStringList(key)});
  if (!policy) {
    return policy.error();
  }
  const auto& missing = policy.value().missingUser();
  return missing.empty()
             ? Status()
             : Error{errc::kUnavailable,
                     fmt::format("expected users of this machine by name or number, or any, got "
                                 "\"{}\"",
                                 missing)};
}

Status isAppUrl(const IConfig& config, std::string_view key) {
  const auto url = config.getString(key);
  const auto origin = normaliseOrigin(url);
  if (!origin.empty() && !origin.starts_with("http://") && !origin.starts_with("https://")) {
    return Error{errc::kInvalidArgument,
                 fmt::format("expected an address of http or https, got \"{}\"", url)};
  }
  return asked({.listen_host = kLoopback, .app_url = url});
}

}  // namespace svc::http
