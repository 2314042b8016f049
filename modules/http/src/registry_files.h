#pragma once

#include <filesystem>

#include "svc/http/http.h"

namespace svc::http {

/// Serves the components that authors take into their plugins (scaffold/README.md), each as the shadcn command reads it: the parameter
/// `name` of the route is `table.json`, or `registry.json` for the list. Files are read on a worker; answer() runs on the io thread.
class RegistryFiles {
 public:
  RegistryFiles(std::filesystem::path root, IWorkerPool& workers);

  void answer(ExchangePtr exchange) const;

 private:
  std::filesystem::path root_;
  IWorkerPool& workers_;
};

}  // namespace svc::http
