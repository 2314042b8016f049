#pragma once

#include <filesystem>
#include <functional>
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

/// A regular file inside a root, symlinks followed.
struct FoundFile {
  std::filesystem::path path;
  std::size_t size = 0;
  std::string tag;  ///< differs whenever the content does
};
/// `real_root` is canonical. Blocks, as does all that follows.
[[nodiscard]] std::optional<FoundFile> findFile(const std::filesystem::path& real_root,
                                                const std::filesystem::path& file);
/// The answer with that file: a page with the headers of the window's pages, anything else compressed where it can be. `hashed`:
/// its name has the hash of its content.
[[nodiscard]] Result<Response> readFound(const FoundFile& file, bool hashed,
                                         const Request& request);
/// Answers with what `read` gives, which runs on a worker. Io thread.
void answerWithFile(IWorkerPool& workers, ExchangePtr exchange,
                    std::function<Result<Response>(const Request&)> read);
/// Reads one file of `root` as the answer to `request`, or says why not. Blocks.
[[nodiscard]] Result<Response> readStatic(const std::filesystem::path& root,
                                          const std::filesystem::path& file,
                                          const Request& request);

}  // namespace svc::http
