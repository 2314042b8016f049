#pragma once

#include <filesystem>
#include <string_view>

#include "svc/http/http.h"

namespace svc::http {

/// Serves the documentation: /docs with its pages, and /llms.txt and /llms-full.txt, which programs look for. A folder is its
/// index.html; a browser gets 404.html for what is missing. Files are read on a worker; answer() runs on the io thread.
class DocsFiles {
 public:
  DocsFiles(std::filesystem::path root, IWorkerPool& workers);

  /// Whether a path of a request, without the base path, is one of these.
  [[nodiscard]] static bool serves(std::string_view path);
  void answer(ExchangePtr exchange) const;

 private:
  std::filesystem::path root_;
  IWorkerPool& workers_;
};

}  // namespace svc::http
