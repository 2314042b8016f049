#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "svc/http/http.h"

namespace svc::http {

/// Serves the files of the app window, read on a worker. A path without a file gets index.html when a browser navigates to
/// it or when it has no extension, because the window has pages of its own; below assets/ it is missing. A file goes out as
/// <file>.br or <file>.gz where that is beside it. Without the folder, a page that says that the server runs. answer() runs
/// on the io thread.
class StaticFiles {
 public:
  StaticFiles(std::filesystem::path root, std::string version, IWorkerPool& workers);

  void answer(ExchangePtr exchange) const;

 private:
  std::filesystem::path root_;
  std::string version_;
  IWorkerPool& workers_;
};

/// The file below a root that a URL path names: decoded, without empty, hidden or parent segments; nullopt when the
/// path is not acceptable. "/" names "index.html".
[[nodiscard]] std::optional<std::filesystem::path> staticPath(std::string_view url_path);
[[nodiscard]] std::string_view contentTypeOf(const std::filesystem::path& file);
/// Reads one file of `root` as the answer to `request`, or says why not. Blocks.
[[nodiscard]] Result<Response> readStatic(const std::filesystem::path& root,
                                          const std::filesystem::path& file,
                                          const Request& request);

}  // namespace svc::http
