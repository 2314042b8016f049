#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/plugins/plugins.h"

#include "install_jobs.h"

namespace svc::installs {

/// Installs, their jobs and the cache over HTTP. Requests arrive on the io thread, answers leave from the main thread.
class InstallRoutes {
 public:
  InstallRoutes(std::shared_ptr<InstallJobs> jobs, plugins::IPluginManager& manager, Cache& cache,
                Work& work, std::string home)
      : jobs_(std::move(jobs)),
        manager_(manager),
        cache_(cache),
        work_(work),
        home_(std::move(home)) {}
  [[nodiscard]] Status attach(http::IHttpServer& server);

 private:
  void install(const http::ExchangePtr& exchange);
  void preview(const http::ExchangePtr& exchange);
  void about(const http::ExchangePtr& exchange);
  void list(const http::ExchangePtr& exchange);
  void get(const http::ExchangePtr& exchange);
  void cancel(const http::ExchangePtr& exchange);
  void prune(const http::ExchangePtr& exchange);

  std::shared_ptr<InstallJobs> jobs_;
  plugins::IPluginManager& manager_;
  Cache& cache_;
  Work& work_;
  std::string home_;
  std::vector<Handle> routes_;
};

/// Reads the body of an install request. A pure function; `invalid_json`, `invalid_input`, `install_refused`.
[[nodiscard]] Result<InstallRequest> readInstallRequest(const std::string& body,
                                                        std::string_view home);
/// Submits and answers: with the plugin when the job has ended, or at once with the job (Prefer: respond-async). Main
/// thread.
void submitInstall(InstallJobs& jobs, InstallRequest request, const http::ExchangePtr& exchange);

[[nodiscard]] common::Json toJson(const storage::InstallJobRow& row);
[[nodiscard]] common::Json toJson(const InstallPreview& preview);

}  // namespace svc::installs
