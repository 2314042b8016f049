#pragma once

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "svc/http/http.h"

namespace svc::http {

/// Shows that a request comes from someone who may read the data directory, where the system does not say whose it is: a token for
/// programs, in server.json, good while this process runs, and a cookie for browsers, which a link brings that is good once. Lives on
/// the io thread after open().
class AccessProof {
 public:
  static constexpr std::string_view kHeader = "x-svc-access-token";
  /// Followed by what tells this server from others of the same host name: browsers send cookies to every port.
  static constexpr std::string_view kCookie = "svc_access_";
  static constexpr std::chrono::minutes kLinkLife{5};
  static constexpr std::size_t kLinks = 16;

  /// The first eight characters of `secret` name the cookie, the others are its value.
  AccessProof(std::string token, std::string_view secret);
  /// Makes a token and reads the secret of `<data>/access-cookie`, mode 0600, which is made when it is not there; without it all
  /// cookies end. Removes `<data>/access-token`, which counts no longer. Main thread.
  [[nodiscard]] static Result<std::shared_ptr<AccessProof>> open(
      const std::filesystem::path& data_directory);

  [[nodiscard]] const std::string& token() const { return token_; }
  [[nodiscard]] bool isIn(const Request& request) const;

  using TimePoint = std::chrono::steady_clock::time_point;
  /// The code of a link; the oldest one ends when there are too many.
  [[nodiscard]] std::string newLink(TimePoint now);
  /// Once for each code.
  [[nodiscard]] bool redeem(std::string_view code, TimePoint now);
  /// The Set-Cookie header of an answer.
  /// `secure`: the client speaks TLS, and must send it over nothing else.
  [[nodiscard]] std::string setCookie(bool secure = false) const;

 private:
  const std::string token_;
  const std::string cookie_name_;
  const std::string cookie_;
  std::map<TimePoint, std::string> links_;  // by their end
};

}  // namespace svc::http
