#include "guard.h"

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include <boost/asio/ip/address.hpp>
#include <fmt/format.h>

#include "svc/base/text.h"
#include "svc/common/codes.h"

namespace svc::http {
namespace {

/// "name:80" → "name"; "[::1]" keeps its brackets.
std::string_view withoutPort(std::string_view host) {
  const auto colon = host.rfind(':');
  const auto bracket = host.rfind(']');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  return has_port ? host.substr(0, colon) : host;
}

/// What follows "https://"; empty when there is no scheme.
std::string_view afterScheme(std::string_view url) {
  const auto end = url.find("://");
  return end == std::string_view::npos ? std::string_view() : url.substr(end + 3);
}

bool hasPort(std::string_view host) { return withoutPort(host).size() != host.size(); }

bool isPort(std::string_view text) {
  std::uint16_t port = 0;
  const auto* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, port);
  return parsed.ec == std::errc{} && parsed.ptr == end && port > 0;
}

/// A name, an IPv4 address or an IPv6 address in brackets, and perhaps a port.
bool isHostText(std::string_view text) {
  const auto host = withoutPort(text);
  if (host.size() != text.size() && !isPort(text.substr(host.size() + 1))) {
    return false;
  }
  if (host.starts_with('[') && host.ends_with(']')) {
    boost::system::error_code failure;
    boost::asio::ip::make_address_v6(std::string(host.substr(1, host.size() - 2)), failure);
    return !failure;
  }
  return !host.empty() && std::all_of(host.begin(), host.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '-' || c == '_';
  });
}

/// What is wrong with a text that should be a host, for the end of a message.
std::string hostHint(std::string_view text) {
  const auto authority = text.substr(0, text.find('/'));
  const auto host = withoutPort(authority);
  if (host.find(':') != std::string_view::npos && !host.starts_with('[')) {
    return "; an IPv6 address is written in brackets, such as [::1]";
  }
  return host.size() != authority.size() && !isPort(authority.substr(host.size() + 1))
             ? "; a port is a number from 1 to 65535"
             : "";
}

std::string bracketed(std::string_view host) {
  return host.find(':') != std::string_view::npos && !host.starts_with('[')
             ? fmt::format("[{}]", host)
             : std::string(host);
}

/// A name or a number.
std::optional<uid_t> userId(const std::string& user) {
  uid_t number = 0;
  const auto* const end = user.data() + user.size();
  if (const auto parsed = std::from_chars(user.data(), end, number);
      parsed.ec == std::errc{} && parsed.ptr == end) {
    return number;
  }
  passwd entry{};
  passwd* found = nullptr;
  std::array<char, 16384> texts{};
  return ::getpwnam_r(user.c_str(), &entry, texts.data(), texts.size(), &found) == 0 &&
                 found != nullptr
             ? std::optional(found->pw_uid)
             : std::nullopt;
}

}  // namespace

std::string normaliseOrigin(std::string_view text) {
  const auto scheme_end = text.find("://");
  if (scheme_end == std::string_view::npos || scheme_end == 0) {
    return {};
  }
  const auto scheme = base::lowerAscii(text.substr(0, scheme_end));
  auto authority = text.substr(scheme_end + 3);
  authority = authority.substr(0, authority.find('/'));
  if (!isHostText(authority)) {
    return {};
  }
  auto host = base::lowerAscii(authority);
  const std::string_view default_port = scheme == "http" ? ":80" : scheme == "https" ? ":443" : "";
  if (!default_port.empty() && hasPort(host) && host.ends_with(default_port)) {
    host.erase(host.size() - default_port.size());
  }
  return scheme + "://" + host;
}

bool isLoopbackHost(std::string_view host) {
  return host == "::1" || host == "[::1]" || equalsIgnoreCase(host, "localhost") ||
         (host.starts_with("127.") &&
          host.find_first_not_of("0123456789.") == std::string_view::npos);
}

bool isJsonContentType(std::string_view content_type) {
  auto type = content_type.substr(0, content_type.find(';'));
  while (!type.empty() && (type.back() == ' ' || type.back() == '\t')) {
    type.remove_suffix(1);
  }
  return equalsIgnoreCase(type, "application/json");
}

bool isMutation(std::string_view method) {
  return method != "GET" && method != "HEAD" && method != "OPTIONS";
}

Result<GuardPolicy> GuardPolicy::create(GuardSettings settings) {
  if (!isLoopbackHost(settings.listen_host) && settings.allowed_hosts.empty()) {
    return Error{
        errc::kInvalidArgument,
        fmt::format(
            "other machines can reach {}, and listen.allowedHosts is empty: "
            "name the hosts that clients use, for example listen.allowedHosts=[\"svc.example\"]",
            settings.listen_host)};
  }
  GuardPolicy policy;
  for (auto& host : settings.allowed_hosts) {
    if (!isHostText(host)) {
      return Error{errc::kInvalidArgument,
                   fmt::format("expected host names, with or without a port, got \"{}\"{}", host,
                               hostHint(host))};
    }
    host = base::lowerAscii(host);
  }
  for (auto& proxy : settings.trusted_proxies) {
    boost::system::error_code failure;
    const auto address = boost::asio::ip::make_address(proxy, failure);
    if (failure) {
      return Error{errc::kInvalidArgument,
                   fmt::format("expected IP addresses such as 10.0.0.1, got \"{}\"", proxy)};
    }
    proxy = address.to_string();
  }
  auto origins = settings.allowed_origins;
  for (const auto& origin : origins) {
    const auto path = origin.find('/', origin.find("://") + 3);
    if (path != std::string::npos && path + 1 != origin.size() &&
        !normaliseOrigin(origin).empty()) {
      return Error{errc::kInvalidArgument,
                   fmt::format("expected an origin without a path, such as {}, got \"{}\"",
                               normaliseOrigin(origin), origin)};
    }
  }
  if (!settings.app_url.empty()) {
    origins.push_back(settings.app_url);
  }
  for (const auto& origin : origins) {
    auto normal = normaliseOrigin(origin);
    if (normal.empty()) {
      return Error{errc::kInvalidArgument,
                   fmt::format("expected an address such as https://svc.example, got \"{}\"{}",
                               origin, hostHint(afterScheme(origin)))};
    }
    policy.origins_.push_back(std::move(normal));
  }
  policy.users_ = {::geteuid(), 0};
  for (const auto& user : settings.local_users) {
    if (user == "any") {
      policy.everybody_ = true;
      continue;
    }
    // One that is not there lets nobody in, and may come back: it keeps no server from starting.
    if (const auto uid = userId(user)) {
      policy.users_.push_back(*uid);
    } else if (policy.missing_user_.empty()) {
      policy.missing_user_ = user;
    }
  }
  auto base_path = BasePath::of(settings.app_url);
  if (!base_path) {
    return std::move(base_path).error();
  }
  policy.base_path_ = std::move(base_path).value();
  if (!settings.app_url.empty()) {
    // A proxy may pass the public name on.
    const auto origin = normaliseOrigin(settings.app_url);
    settings.allowed_hosts.push_back(origin.substr(origin.find("://") + 3));
  }
  policy.settings_ = std::move(settings);
  return policy;
}

void GuardPolicy::bindTo(std::uint16_t port) {
  own_names_.clear();
  std::vector<std::string> hosts{"127.0.0.1", "localhost", "[::1]"};
  if (isLoopbackHost(settings_.listen_host)) {
    hosts.push_back(base::lowerAscii(bracketed(settings_.listen_host)));
  }
  for (const auto& host : hosts) {
    own_names_.push_back(fmt::format("{}:{}", host, port));
    if (port == 80) {
      own_names_.push_back(host);
    }
  }
}

void CurrentGuard::bindTo(std::uint16_t port) {
  port_ = port;
  policies_.back().bindTo(port);
}

void CurrentGuard::replace(GuardPolicy next) {
  next.bindTo(port_);
  adopt(std::move(next));
}

void CurrentGuard::adopt(GuardPolicy policy) {
  policies_.push_back(std::move(policy));
  current_.store(&policies_.back(), std::memory_order_release);
}

bool GuardPolicy::hostAllowed(std::string_view host) const {
  const auto is_host = [host](const std::string& name) { return equalsIgnoreCase(name, host); };
  if (std::any_of(own_names_.begin(), own_names_.end(), is_host)) {
    return true;
  }
  return std::any_of(
      settings_.allowed_hosts.begin(), settings_.allowed_hosts.end(), [&](const std::string& name) {
        return is_host(name) || (!hasPort(name) && equalsIgnoreCase(name, withoutPort(host)));
      });
}

OriginClass GuardPolicy::classify(std::string_view origin, std::string_view host,
                                  bool secure) const {
  const auto normal = normaliseOrigin(origin);
  // A well-formed origin has no path, so that what follows the host is not silently ignored.
  if (normal.empty() || origin.find('/', origin.find("://") + 3) != std::string_view::npos) {
    return OriginClass::kRefused;
  }
  const std::string_view scheme = secure ? "https://" : "http://";
  if (normal == normaliseOrigin(std::string(scheme).append(host))) {
    return hostAllowed(host) ? OriginClass::kOwn : OriginClass::kRefused;
  }
  if (std::find(origins_.begin(), origins_.end(), normal) != origins_.end()) {
    return OriginClass::kCross;
  }
  const bool own_scheme = normal.starts_with(scheme);
  return own_scheme && hostAllowed(std::string_view(normal).substr(scheme.size()))
             ? OriginClass::kCross
             : OriginClass::kRefused;
}

GuardFacts guardFacts(const Request& request) {
  GuardFacts facts{.method = request.method,
                   .host = request.header("host"),
                   .origin = request.header("origin"),
                   .content_type = request.header("content-type"),
                   .fetch_site = request.header("sec-fetch-site"),
                   .has_body = !request.body.empty(),
                   .secure = request.secure,
                   .sender = request.sender,
                   .sender_uid = request.sender_uid};
  for (const auto& header : request.headers) {
    if (equalsIgnoreCase(header.name, "origin")) {
      ++facts.origin_headers;
    } else if (equalsIgnoreCase(header.name, "transfer-encoding") ||
               (equalsIgnoreCase(header.name, "content-length") && header.value != "0")) {
      facts.has_body = true;
    }
  }
  return facts;
}

Status GuardPolicy::check(Guard guard, const GuardFacts& facts) const {
  if (guard == Guard::kNone || guard == Guard::kDeferred) {
    return {};
  }
  if (!facts.host || !hostAllowed(*facts.host)) {
    return Error{
        errc::kForbiddenOrigin,
        fmt::format(
            "the Host header \"{}\" is not a name of this server; if it should be, add it to "
            "listen.allowedHosts",
            facts.host ? *facts.host : "")};
  }
  if (guard == Guard::kHost) {
    return {};
  }
  if (facts.origin_headers > 1) {
    return Error{errc::kForbiddenOrigin,
                 fmt::format("a request has at most one Origin header, this one has {}",
                             facts.origin_headers)};
  }
  const auto origin =
      facts.origin ? classify(*facts.origin, *facts.host, facts.secure) : OriginClass::kOwn;
  if (origin == OriginClass::kRefused) {
    return Error{
        errc::kForbiddenOrigin,
        fmt::format(
            "pages of the origin \"{}\" may not call this server; if they should, add it to "
            "listen.allowedOrigins",
            *facts.origin)};
  }
  // Images, forms and links of other sites come without an Origin.
  if (origin != OriginClass::kCross && facts.fetch_site && *facts.fetch_site == "cross-site") {
    return Error{
        errc::kForbiddenOrigin,
        "a page of another site made this request (Sec-Fetch-Site: cross-site); if it "
        "should, add its origin to listen.allowedOrigins and let it use CORS; a plugin's route to "
        "which other sites lead browsers, such as the callback of a login, needs auth "
        "\"none\" and verifies the request itself"};
  }
  if (facts.sender != Sender::kAllowed) {
    return forbiddenUser(facts.sender, facts.sender_uid);
  }
  if (guard == Guard::kLocal && facts.has_body && isMutation(facts.method) &&
      !(facts.content_type && isJsonContentType(*facts.content_type))) {
    return Error{
        errc::kUnsupportedMediaType,
        fmt::format("a {} request with a body needs content-type application/json, got \"{}\"",
                    facts.method, facts.content_type ? *facts.content_type : "")};
  }
  return {};
}

Error forbiddenUser(Sender sender, std::uint32_t uid) {
  if (sender == Sender::kForeignUser) {
    return Error{
        errc::kForbiddenUser,
        fmt::format("this server serves the user it runs as (uid {}), and this connection is "
                    "of the user with uid {}; to let that user in, add it to "
                    "listen.localUsers; if it is a reverse proxy, add its address to "
                    "listen.trustedProxies",
                    ::geteuid(), uid)};
  }
  if (sender == Sender::kGone) {
    return Error{errc::kForbiddenUser,
                 "the connection was closed before the server could ask which user it is of; a "
                 "client keeps it open until it has the answer"};
  }
  return Error{
      errc::kForbiddenUser,
      "the system does not say which user this connection is of; in a browser, open the "
      "link that `svc open` prints; a program sends the accessToken of server.json as "
      "x-svc-access-token; listen.localUsers = \"any\" lets every user of this machine in"};
}

bool GuardPolicy::servesUser(uid_t uid) const {
  return everybody_ || std::find(users_.begin(), users_.end(), uid) != users_.end();
}

bool GuardPolicy::trustsPeer(std::string_view address) const {
  return std::find(settings_.trusted_proxies.begin(), settings_.trusted_proxies.end(), address) !=
         settings_.trusted_proxies.end();
}

}  // namespace svc::http
