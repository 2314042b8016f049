#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "svc/http/http.h"

namespace svc::http {

/// Serves the files of the app window, read on a worker. A path without a file and without an extension gets
/// index.html, because the window has pages of its own. Without the folder, a page that says that the server runs.
/// answer() runs on the io thread.
class StaticFiles {
 public:
  StaticFiles(std::filesystem::path root, std::string version, IWorkerPool& workers);

  void answer(ExchangePtr exchange) const;

 private:
  std::filesystem::path root_;
  bool exists_;
  std::string version_;
  IWorkerPool& workers_;
};

/// The file below a root that a URL path names: decoded, without empty, hidden or parent segments; nullopt when the
/// path is not acceptable. "/" names "index.html".
[[nodiscard]] std::optional<std::filesystem::path> staticPath(std::string_view url_path);
[[nodiscard]] std::string_view contentTypeOf(const std::filesystem::path& file);
/// Reads one file as an answer, or says why not. Blocks.
[[nodiscard]] Result<Response> readStatic(const std::filesystem::path& root,
                                          const std::filesystem::path& file,
                                          const std::string* if_none_match);

}  // namespace svc::http
