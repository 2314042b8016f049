#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/http/http.h"

#include "base_path.h"

namespace svc::http {

struct GuardSettings {
  std::string listen_host{};
  std::vector<std::string> allowed_hosts{};
  std::vector<std::string> allowed_origins{};
  std::vector<std::string> trusted_proxies{};
  std::string app_url{};
  /// Names or numbers of users beside the server's own, or "any".
  std::vector<std::string> local_users{};
};

/// What the guard looks at. Absent headers are nullptr.
struct GuardFacts {
  std::string_view method{};
  const std::string* host = nullptr;
  const std::string* origin = nullptr;
  std::size_t origin_headers = 0;
  const std::string* content_type = nullptr;
  const std::string* fetch_site = nullptr;
  bool has_body = false;
  /// The connection of the client is TLS, as a trusted proxy says.
  bool secure = false;
  Sender sender = Sender::kAllowed;
  std::uint32_t sender_uid = 0;
};

enum class OriginClass : std::uint8_t { kOwn, kCross, kRefused };

/// The facts of a request that has been parsed already.
[[nodiscard]] GuardFacts guardFacts(const Request& request);

/// Decides who may call: the Host check (which also defeats DNS rebinding), the Origin check, the user and the
/// media type.
/// Immutable after bindTo(); thread-safe.
class GuardPolicy {
 public:
  /// Refuses malformed names and origins, and a host that is not loopback without allowed names.
  [[nodiscard]] static Result<GuardPolicy> create(GuardSettings settings);
  /// The port the loopback names are valid with.
  void bindTo(std::uint16_t port);

  [[nodiscard]] Status check(Guard guard, const GuardFacts& facts) const;
  [[nodiscard]] bool hostAllowed(std::string_view host) const;
  /// kOwn: the page was served under the name the request was sent to. kCross: another origin that may call.
  [[nodiscard]] OriginClass classify(std::string_view origin, std::string_view host,
                                     bool secure) const;
  [[nodiscard]] bool trustsPeer(std::string_view address) const;
  /// The server's own user, root, and those of listen.localUsers.
  [[nodiscard]] bool servesUser(uid_t uid) const;
  [[nodiscard]] bool servesEverybody() const { return everybody_; }
  /// The first of listen.localUsers that this machine does not know, or cannot look up now; empty when it knows all.
  [[nodiscard]] const std::string& missingUser() const { return missing_user_; }
  [[nodiscard]] const BasePath& basePath() const { return base_path_; }

 private:
  GuardPolicy() = default;

  GuardSettings settings_;
  BasePath base_path_;
  std::vector<std::string> own_names_;  // with port, lower case
  std::vector<std::string> origins_;    // normalised
  std::vector<uid_t> users_;
  std::string missing_user_;
  bool everybody_ = false;
};

/// The policy in force. bindTo() before any other thread reads; replace() on one thread; reads from any. Replaced policies
/// stay until the end, because a reader may still be using one.
class CurrentGuard {
 public:
  explicit CurrentGuard(GuardPolicy first) { adopt(std::move(first)); }
  CurrentGuard(const CurrentGuard&) = delete;
  CurrentGuard& operator=(const CurrentGuard&) = delete;

  void bindTo(std::uint16_t port);
  void replace(GuardPolicy next);
  const GuardPolicy* operator->() const { return current_.load(std::memory_order_acquire); }

 private:
  void adopt(GuardPolicy policy);

  std::uint16_t port_ = 0;
  std::list<GuardPolicy> policies_;
  std::atomic<const GuardPolicy*> current_{nullptr};
};

/// Why the sender may not, and what to do about it.
[[nodiscard]] Error forbiddenUser(Sender sender, std::uint32_t uid);
/// "https://Example.org:443/x" → "https://example.org"; empty when `text` has no scheme and host.
[[nodiscard]] std::string normaliseOrigin(std::string_view text);
[[nodiscard]] bool isLoopbackHost(std::string_view host);
/// True when the media type, parameters aside, is application/json.
[[nodiscard]] bool isJsonContentType(std::string_view content_type);
/// GET, HEAD and OPTIONS are not mutations.
[[nodiscard]] bool isMutation(std::string_view method);

}  // namespace svc::http
