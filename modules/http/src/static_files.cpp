#include "static_files.h"

#include <sys/stat.h>

#include <fstream>
#include <utility>

#include <fmt/format.h>

#include "svc/base/path_bounds.h"
#include "svc/common/codes.h"
#include "svc/common/media_type.h"
#include "svc/http/encoding.h"

#include "window_page.h"

namespace svc::http {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileLimit = 32UL * 1024 * 1024;
constexpr const char* kIndex = "index.html";
constexpr const char* kAssets = "assets";

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
  response.headers = {
      {"cache-control", "no-store"},
      {"content-security-policy",
       "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"},
      {"x-content-type-options", "nosniff"}};
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

Result<Response> withoutWindow(const Request& request, const fs::path& file,
                               std::string_view version) {
  if (file == kIndex) {
    return welcomePage(version);
  }
  return Error{errc::kUnknownRoute, fmt::format("unknown route: {}", request.path)};
}

Error unknownAsset(const fs::path& file) {
  return Error{errc::kUnknownAsset, fmt::format("there is no file {}", file.string())};
}

Result<std::string> readWhole(const FoundFile& file) {
  if (file.size > kFileLimit) {
    return Error{errc::kInternal, fmt::format("{} is larger than {} bytes ({} bytes)",
                                              file.path.string(), kFileLimit, file.size)};
  }
  std::string bytes(file.size, '\0');
  std::ifstream stream(file.path, std::ios::binary);
  if (!stream.read(bytes.data(), static_cast<std::streamsize>(bytes.size()))) {
    return unknownAsset(file.path);
  }
  return bytes;
}

/// Files below assets/ carry a hash in their name.
bool isHashed(const fs::path& file) {
  return file.begin() != file.end() && *file.begin() == kAssets;
}

/// A browser goes there, rather than that a page asks for a part of itself.
bool isNavigation(const Request& request) {
  const auto* accept = request.header("accept");
  return accept != nullptr && accept->find("text/html") != std::string::npos;
}

/// True when the window itself has to say what is at this path. Ids in it may have dots.
bool isPage(const fs::path& file, const Request& request) {
  return !isHashed(file) && (!file.has_extension() || isNavigation(request));
}

bool isFresh(const Request& request, const std::string& etag) {
  const auto* known = request.header("if-none-match");
  return known != nullptr && (*known == "*" || known->find(etag) != std::string::npos);
}

/// What was compressed beside the file when the window was built, in the best form the client takes.
std::optional<FoundFile> findEncoded(const FoundFile& file, Encoding encoding) {
  const auto* suffix = encoding == Encoding::kBrotli ? ".br" : ".gz";
  return findFile(file.path.parent_path(), file.path.filename().string() + suffix);
}

Result<Response> readAsset(const FoundFile& file, bool hashed, const Request& request) {
  const auto* accepted = request.header("accept-encoding");
  const auto encoding = accepted != nullptr ? bestEncoding(*accepted) : Encoding::kIdentity;
  const auto encoded = encoding == Encoding::kIdentity ? std::nullopt : findEncoded(file, encoding);
  auto bytes = readWhole(encoded.value_or(file));
  if (!bytes) {
    return std::move(bytes).error();
  }
  Response response;
  response.content_type = common::contentTypeOf(common::mediaTypeOf(file.path.filename().string()));
  response.headers = {
      {"etag", encoded ? fmt::format("\"{}-{}\"", encoded->tag, encodingName(encoding))
                       : fmt::format("\"{}\"", file.tag)},
      {"cache-control", hashed ? "public, max-age=31536000, immutable" : "no-cache"},
      {"vary", "Accept-Encoding"},
      {"x-content-type-options", "nosniff"},
      {"cross-origin-resource-policy", "same-origin"}};
  if (encoded) {
    response.headers.push_back({"content-encoding", std::string(encodingName(encoding))});
  }
  response.body = std::move(bytes).value();
  return response;
}

Result<Response> readPage(const FoundFile& file, const Request& request) {
  auto html = readWhole(file);
  if (!html) {
    return std::move(html).error();
  }
  return windowPage(html.value(), request.base_path);
}

}  // namespace

std::optional<FoundFile> findFile(const fs::path& real_root, const fs::path& file) {
  std::error_code failure;
  auto path = fs::canonical(real_root / file, failure);
  struct stat facts {};
  if (failure || !base::isWithin(path.native(), real_root.native()) ||
      stat(path.c_str(), &facts) != 0 || !S_ISREG(facts.st_mode)) {
    return std::nullopt;
  }
  const auto size = static_cast<std::size_t>(facts.st_size);
  auto tag = fmt::format("{:x}-{:x}-{:x}", size, facts.st_mtim.tv_sec, facts.st_mtim.tv_nsec);
  return FoundFile{std::move(path), size, std::move(tag)};
}

Result<Response> readFound(const FoundFile& file, bool hashed, const Request& request) {
  auto response =
      file.path.extension() == ".html" ? readPage(file, request) : readAsset(file, hashed, request);
  if (response && isFresh(request, response.value().headers.front().value)) {
    response.value().status = 304;
    response.value().body.clear();
  }
  return response;
}

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
  return file.empty() ? fs::path(kIndex) : file;
}

Result<Response> readStatic(const fs::path& root, const fs::path& file, const Request& request) {
  std::error_code failure;
  const auto real_root = fs::canonical(root, failure);
  if (failure) {
    return unknownAsset(file);
  }
  auto found = findFile(real_root, file);
  if (!found && isPage(file, request)) {
    found = findFile(real_root, kIndex);
  }
  if (!found) {
    return unknownAsset(file);
  }
  return readFound(*found, isHashed(file), request);
}

void answerWithFile(IWorkerPool& workers, ExchangePtr exchange,
                    std::function<Result<Response>(const Request&)> read) {
  const bool queued = workers.submit([exchange, read = std::move(read)] {
    auto response = guarded([&] { return read(exchange->request()); });
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

StaticFiles::StaticFiles(fs::path root, std::string version, IWorkerPool& workers)
    : root_(std::move(root)), version_(std::move(version)), workers_(workers) {}

void StaticFiles::answer(ExchangePtr exchange) const {
  auto file = staticPath(exchange->request().path);
  if (!file && isNavigation(exchange->request())) {
    // Places inside of plugins' pages have names of any kind; the window knows them.
    file = kIndex;
  }
  if (!file) {
    exchange->fail(Error{errc::kUnknownAsset, "the path names no file of the app window"});
    return;
  }
  answerWithFile(workers_, std::move(exchange),
                 [root = root_, version = version_, file = *file](const Request& request) {
                   std::error_code failure;
                   return fs::is_directory(root, failure) ? readStatic(root, file, request)
                                                          : withoutWindow(request, file, version);
                 });
}

}  // namespace svc::http
