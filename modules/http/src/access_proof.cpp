#include "access_proof.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "svc/base/files.h"
#include "svc/common/limits/http.h"
#include "svc/http/secrets.h"

namespace svc::http {
namespace {

Error withHint(const Error& failure) {
  return {errc::kUnavailable, failure.message + "; check the permissions of the data directory"};
}

constexpr std::size_t kSecretSize = 2 * limits::kHttpToken;
constexpr std::size_t kNameSize = 8;

Result<std::string> createSecret(const std::filesystem::path& path) {
  auto secret = randomSecret();
  if (auto written = base::replaceFile(path, secret + "\n"); !written) {
    return withHint(written.error());
  }
  return secret;
}

Result<std::string> keptSecret(const std::filesystem::path& path) {
  auto text = base::readFile(path, 2 * kSecretSize, base::Links::kRefused);
  if (!text && text.error().code == errc::kUnavailable) {
    return withHint(text.error());
  }
  auto secret = text ? text.value().substr(0, kSecretSize) : std::string();
  return isSecret(secret) ? secret : createSecret(path);  // missing, or damaged: nobody has it
}

/// Whether a Cookie header has it. Of one name there may be several, of different paths and domains.
bool hasCookie(std::string_view header, std::string_view name, std::string_view value) {
  while (!header.empty()) {
    const auto end = std::min(header.find(';'), header.size());
    const auto pair = trimmed(header.substr(0, end));
    header.remove_prefix(std::min(end + 1, header.size()));
    if (pair.size() > name.size() && pair.starts_with(name) && pair[name.size()] == '=' &&
        sameSecret(pair.substr(name.size() + 1), value)) {
      return true;
    }
  }
  return false;
}

}  // namespace

AccessProof::AccessProof(std::string token, std::string_view secret)
    : token_(std::move(token)),
      cookie_name_(std::string(kCookie).append(secret.substr(0, kNameSize))),
      cookie_(secret.substr(std::min(secret.size(), kNameSize))) {}

Result<std::shared_ptr<AccessProof>> AccessProof::open(
    const std::filesystem::path& data_directory) {
  // The name of a secret that this one follows: it is good for nothing, but it does not look so.
  ::unlink((data_directory / "access-token").c_str());
  const auto secret = keptSecret(data_directory / "access-cookie");
  if (!secret) {
    return secret.error();
  }
  return std::make_shared<AccessProof>(randomSecret(), secret.value());
}

bool AccessProof::isIn(const Request& request) const {
  return std::any_of(request.headers.begin(), request.headers.end(), [this](const Header& header) {
    if (equalsIgnoreCase(header.name, kHeader)) {
      return sameSecret(header.value, token_);
    }
    return equalsIgnoreCase(header.name, "cookie") &&
           hasCookie(header.value, cookie_name_, cookie_);
  });
}

std::string AccessProof::newLink(TimePoint now) {
  auto code = randomSecret();
  if (links_.size() >= kLinks) {
    links_.erase(links_.begin());
  }
  auto end = now + kLinkLife;
  while (links_.contains(end)) {
    end += TimePoint::duration(1);
  }
  links_.emplace(end, code);
  return code;
}

bool AccessProof::redeem(std::string_view code, TimePoint now) {
  std::erase_if(links_, [now](const auto& link) { return link.first <= now; });
  const auto found = std::find_if(links_.begin(), links_.end(), [code](const auto& link) {
    return sameSecret(link.second, code);
  });
  if (found == links_.end()) {
    return false;
  }
  links_.erase(found);
  return true;
}

std::string AccessProof::setCookie(bool secure) const {
  constexpr int kYear = 365 * 24 * 60 * 60;
  return fmt::format("{}={}; Path=/; Max-Age={}; HttpOnly; SameSite=Strict{}", cookie_name_,
                     cookie_, kYear, secure ? "; Secure" : "");
}

}  // namespace svc::http
