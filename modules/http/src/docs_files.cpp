#include "docs_files.h"

#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "static_files.h"

namespace svc::http {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kDocs = "/docs";
constexpr std::string_view kList = "/llms.txt";
constexpr std::string_view kWhole = "/llms-full.txt";

/// Links of a folder's page are relative to the folder, so its address ends with a slash.
Response toFolder(const Request& request) {
  Response response;
  response.status = 302;
  response.content_type = "text/plain; charset=utf-8";
  response.headers = {{"location", fmt::format("{}{}/", request.base_path, request.path)}};
  return response;
}

Result<Response> missing(const fs::path& real_root, const Request& request) {
  const auto* accept = request.header("accept");
  if (accept != nullptr && accept->find("text/html") != std::string::npos) {
    if (const auto page = findFile(real_root, "404.html")) {
      auto response = readFound(*page, false, request);
      if (response) {
        response.value().status = 404;
      }
      return response;
    }
  }
  return Error{errc::kUnknownAsset,
               fmt::format("the documentation has no {}; /llms.txt lists its pages", request.path)};
}

Result<Response> read(const fs::path& root, const fs::path& file, const Request& request) {
  std::error_code failure;
  const auto real_root = fs::canonical(root, failure);
  if (failure) {
    return Error{errc::kUnknownAsset, "the documentation is not installed with this server"};
  }
  if (fs::is_directory(real_root / file, failure)) {
    if (!request.path.ends_with('/')) {
      return toFolder(request);
    }
    const auto index = findFile(real_root, file / "index.html");
    return index ? readFound(*index, false, request) : missing(real_root, request);
  }
  const auto found = findFile(real_root, file);
  return found ? readFound(*found, false, request) : missing(real_root, request);
}

/// The file below the folder of the documentation; empty for the folder itself.
std::optional<fs::path> fileOf(const Request& request) {
  const std::string_view path = request.path;
  if (path == kList || path == kWhole) {
    return fs::path(path.substr(1));
  }
  const auto rest = path.substr(kDocs.size());
  return rest.empty() || rest == "/" ? fs::path() : staticPath(rest);
}

}  // namespace

DocsFiles::DocsFiles(fs::path root, IWorkerPool& workers)
    : root_(std::move(root)), workers_(workers) {}

bool DocsFiles::serves(std::string_view path) {
  return path == kList || path == kWhole || path == kDocs ||
         (path.starts_with(kDocs) && path.substr(kDocs.size()).starts_with('/'));
}

void DocsFiles::answer(ExchangePtr exchange) const {
  const auto file = fileOf(exchange->request());
  if (!file) {
    exchange->fail(Error{errc::kUnknownAsset, "the path names no page of the documentation"});
    return;
  }
  answerWithFile(
      workers_, std::move(exchange),
      [root = root_, file = *file](const Request& request) { return read(root, file, request); });
}

}  // namespace svc::http
