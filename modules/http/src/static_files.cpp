#include "static_files.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

namespace svc::http {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileLimit = 32UL * 1024 * 1024;

constexpr std::array<std::pair<std::string_view, std::string_view>, 20> kContentTypes{{
    {".html", "text/html; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".mjs", "text/javascript; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".json", "application/json; charset=utf-8"},
    {".map", "application/json; charset=utf-8"},
    {".webmanifest", "application/manifest+json"},
    {".txt", "text/plain; charset=utf-8"},
    {".md", "text/markdown; charset=utf-8"},
    {".xml", "application/xml"},
    {".svg", "image/svg+xml"},
    {".png", "image/png"},
    {".jpg", "image/jpeg"},
    {".jpeg", "image/jpeg"},
    {".gif", "image/gif"},
    {".webp", "image/webp"},
    {".ico", "image/x-icon"},
    {".woff", "font/woff"},
    {".woff2", "font/woff2"},
    {".wasm", "application/wasm"},
}};

bool isInside(const fs::path& root, const fs::path& file) {
  const auto mismatch = std::mismatch(root.begin(), root.end(), file.begin(), file.end());
  return mismatch.first == root.end();
}

std::string escapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '<' || c == '&' || c == '>') {
      escaped += c == '<' ? "&lt;" : c == '>' ? "&gt;" : "&amp;";
    } else {
      escaped.push_back(c);
    }
  }
  return escaped;
}

Response welcomePage(std::string_view version) {
  Response response;
  response.content_type = "text/html; charset=utf-8";
  response.headers.push_back({"cache-control", "no-store"});
  response.body = fmt::format(R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>svc</title>
<meta name="viewport" content="width=device-width"><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem; }}
code {{ background: #8882; padding: .1em .3em; border-radius: .2em; }}
</style></head><body>
<h1>svc is running</h1>
<p>Version {}. The app window is not installed with this server; the command line and the HTTP interface work.</p>
<ul>
<li><code>svc plugin list</code> shows the plugins and their status</li>
<li><code>svc plugin install &lt;path&gt;</code> installs it</li>
<li><code>svc --help</code> lists every command</li>
</ul></body></html>
)",
                              escapeHtml(version));
  return response;
}

Error unknownAsset(const fs::path& file) {
  return Error{errc::kUnknownAsset, fmt::format("there is no file {}", file.string())};
}

}  // namespace

std::optional<fs::path> staticPath(std::string_view url_path) {
  const auto decoded = percentDecode(url_path);
  if (!decoded || !decoded->starts_with('/') || decoded->find('\0') != std::string::npos ||
      decoded->find('\\') != std::string::npos) {
    return std::nullopt;
  }
  fs::path file;
  std::string_view rest = *decoded;
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const auto segment = rest.substr(0, rest.find('/'));
    rest.remove_prefix(segment.size());
    if (segment.empty() && rest.empty()) {
      break;  // a trailing slash
    }
    if (segment.empty() || segment.starts_with('.')) {
      return std::nullopt;
    }
    file /= segment;
  }
  return file.empty() ? fs::path("index.html") : file;
}

std::string_view contentTypeOf(const fs::path& file) {
  const auto extension = file.extension().string();
  const auto* found =
      std::find_if(kContentTypes.begin(), kContentTypes.end(),
                   [&](const auto& entry) { return equalsIgnoreCase(entry.first, extension); });
  return found == kContentTypes.end() ? "application/octet-stream" : found->second;
}

Result<Response> readStatic(const fs::path& root, const fs::path& file,
                            const std::string* if_none_match) {
  std::error_code failure;
  const auto real_root = fs::canonical(root, failure);
  if (failure) {
    return unknownAsset(file);
  }
  auto path = fs::canonical(real_root / file, failure);
  if (failure && !file.has_extension()) {
    path = fs::canonical(real_root / "index.html", failure);
  }
  struct stat facts {};
  if (failure || !isInside(real_root, path) || stat(path.c_str(), &facts) != 0 ||
      !S_ISREG(facts.st_mode)) {
    return unknownAsset(file);
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  if (size > kFileLimit) {
    return Error{errc::kInternal, fmt::format("{} is larger than {} bytes ({} bytes)",
                                              file.string(), kFileLimit, size)};
  }
  Response response;
  response.content_type = contentTypeOf(path);
  const auto etag =
      fmt::format("\"{:x}-{:x}-{:x}\"", size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
  // Files below assets/ carry a hash in their name.
  const bool hashed = file.begin() != file.end() && *file.begin() == "assets";
  response.headers = {
      {"etag", etag},
      {"cache-control", hashed ? "public, max-age=31536000, immutable" : "no-cache"},
      {"x-content-type-options", "nosniff"}};
  if (if_none_match && if_none_match->find(etag) != std::string::npos) {
    response.status = 304;
    return response;
  }
  std::ifstream stream(path, std::ios::binary);
  response.body.resize(size);
  if (!stream.read(response.body.data(), static_cast<std::streamsize>(size))) {
    return unknownAsset(file);
  }
  return response;
}

StaticFiles::StaticFiles(fs::path root, std::string version, IWorkerPool& workers)
    : root_(std::move(root)),
      exists_(fs::is_directory(root_)),
      version_(std::move(version)),
      workers_(workers) {}

void StaticFiles::answer(ExchangePtr exchange) const {
  const auto file = staticPath(exchange->request().path);
  if (!file) {
    exchange->fail(Error{errc::kUnknownAsset, "the path names no file of the app window"});
    return;
  }
  if (!exists_) {
    if (*file == "index.html") {
      exchange->respond(welcomePage(version_));
    } else {
      exchange->fail(
          Error{errc::kNotFound, fmt::format("unknown route: {}", exchange->request().path)});
    }
    return;
  }
  const bool queued = workers_.submit([exchange, root = root_, file = *file] {
    auto response = guarded(
        [&] { return readStatic(root, file, exchange->request().header("if-none-match")); });
    if (response) {
      exchange->respond(std::move(response).value());
    } else {
      exchange->fail(response.error());
    }
  });
  if (!queued) {
    exchange->fail(Error{errc::kOverloaded, "the queue of file reads is full; try again"});
  }
}

}  // namespace svc::http
