#include "window_page.h"

#include <sstream>
#include <vector>

#include <Poco/Base64Encoder.h>
#include <Poco/DigestEngine.h>
#include <Poco/SHA2Engine.h>
#include <fmt/format.h>

namespace svc::http {
namespace {

std::vector<unsigned char> sha256(std::string_view bytes) {
  Poco::SHA2Engine engine(Poco::SHA2Engine::SHA_256);
  engine.update(bytes.data(), bytes.size());
  return engine.digest();
}

std::string base64(const std::vector<unsigned char>& bytes) {
  std::ostringstream out;
  Poco::Base64Encoder encoder(out);
  encoder.rdbuf()->setLineLength(0);
  for (const auto byte : bytes) {
    encoder.put(static_cast<char>(byte));
  }
  encoder.close();
  return out.str();
}

/// The texts of <script> elements without src.
std::vector<std::string_view> inlineScripts(std::string_view html) {
  std::vector<std::string_view> out;
  for (std::size_t at = 0; (at = html.find("<script", at)) != std::string_view::npos;) {
    const auto start = html.find('>', at);
    const auto end = html.find("</script", at);
    if (start == std::string_view::npos || end == std::string_view::npos) {
      break;
    }
    if (html.substr(at, start - at).find(" src=") == std::string_view::npos) {
      out.push_back(html.substr(start + 1, end - start - 1));
    }
    at = end + 1;
  }
  return out;
}

std::string withBase(std::string_view html, std::string_view base_path) {
  constexpr std::string_view kBase = "<base href=\"";
  std::string out(html);
  if (const auto at = out.find(kBase); at != std::string::npos) {
    const auto start = at + kBase.size();
    out.replace(start, out.find('"', start) - start, fmt::format("{}/", base_path));
  }
  return out;
}

}  // namespace

std::string contentSecurityPolicy(std::string_view html) {
  std::string scripts;
  for (const auto script : inlineScripts(html)) {
    scripts += fmt::format(" 'sha256-{}'", base64(sha256(script)));
  }
  // 'unsafe-inline' for styles only: plugins set them on elements. What plugins show and whom they talk to is theirs, services
  // and previews on this machine included; it is never code of the window's origin.
  return fmt::format(
      "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'{}; style-src 'self' "
      "'unsafe-inline' https:; img-src 'self' data: blob: http: https:; media-src 'self' data: "
      "blob: http: https:; font-src 'self' data: https:; connect-src 'self' data: blob: http: "
      "https: ws: wss:; worker-src 'self' blob:; frame-src 'self' data: blob: http: https:; "
      "frame-ancestors 'none'; object-src 'none'; base-uri 'self'; form-action 'self'",
      scripts);
}

Response windowPage(std::string_view html, std::string_view base_path) {
  Response response;
  response.body = withBase(html, base_path);
  response.content_type = "text/html; charset=utf-8";
  const auto tag = Poco::DigestEngine::digestToHex(sha256(response.body)).substr(0, 16);
  // The base path follows the Host header.
  response.headers = {{"etag", fmt::format("\"{}\"", tag)},
                      {"cache-control", "no-cache"},
                      {"vary", "Host"},
                      {"content-security-policy", contentSecurityPolicy(html)},
                      {"x-content-type-options", "nosniff"},
                      {"referrer-policy", "same-origin"},
                      {"cross-origin-opener-policy", "same-origin"}};
  return response;
}

}  // namespace svc::http
