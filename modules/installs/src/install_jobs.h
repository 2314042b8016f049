#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include <spdlog/logger.h>

#include "svc/installs/bundle_builder.h"
#include "svc/plugins/managed_plugins.h"
#include "svc/plugins/plugins.h"
#include "svc/storage/install_store.h"

#include "install_targets.h"
#include "looks.h"
#include "work.h"

namespace svc::installs {

/// Installs, one at a time and in order. A job belongs to nobody: clients come and go. Main thread.
class InstallJobs : public std::enable_shared_from_this<InstallJobs> {
 public:
  struct Context {
    Work& work;
    IWorkerPool& workers;  ///< for the rows of jobs
    const IClock& clock;
    storage::IInstallStore& store;
    plugins::IPluginManager& manager;
    plugins::IManagedPlugins& plugins;
    Packages& packages;
    const Marketplaces& marketplaces;
    std::string home;
    std::function<std::uint64_t()> random;
    std::shared_ptr<spdlog::logger> log;
    IBundleBuilder* builder = nullptr;  ///< null: plugins in place come as they are
  };
  using Row = storage::InstallJobRow;

  static constexpr std::size_t kWaiting = 64;

  explicit InstallJobs(Context with);

  /// Reads the rows; those that had not ended failed with the last process, also when that cannot be written. Blocks.
  [[nodiscard]] Status open();
  /// Begins a job, or joins the one that does the same; its row. `done` fires when it has ended. `overloaded`.
  [[nodiscard]] Result<Row> submit(InstallRequest request, Completion<plugins::PluginRecord> done);
  /// What has ended is listed for lim.jobHistory. Newest first.
  [[nodiscard]] std::vector<Row> list();
  [[nodiscard]] Result<Row> find(const std::string& id);
  /// `conflict` when it is being registered or has ended.
  [[nodiscard]] Result<Row> cancel(const std::string& id);
  /// Looks, which end when `client` stops.
  void preview(InstallRequest request, std::stop_token client, Completion<InstallPreview> done);
  void about(InstallRequest request, std::stop_token client, Completion<PackageAbout> done);
  /// Ends what runs; nothing new begins.
  void stop();

 private:
  struct Job {
    Row row;
    std::string key;
    InstallRequest request;
    std::vector<Completion<plugins::PluginRecord>> waiters;
    std::stop_source stop;
    bool registering = false;
  };
  using JobPtr = std::shared_ptr<Job>;

  /// What is on this machine waits for no source elsewhere.
  template <class T, class Body>
  void look(SourceKind kind, std::stop_token client, Body body, Completion<T> done);
  void next();
  Course<plugins::PluginRecord> install(JobPtr job);
  Course<plugins::PluginRecord> installInPlace(JobPtr job);
  /// Finds, downloads and registers what the request names, after a look at whether it may be installed at all.
  Course<plugins::PluginRecord> installManaged(JobPtr job);
  void step(const JobPtr& job, std::string text);
  /// What a thread tells of the job's steps.
  [[nodiscard]] Progress progressOf(const JobPtr& job);
  /// The body has ended: answers, unless it was cancelled before, and lets the next one begin.
  void finish(const JobPtr& job, const Result<plugins::PluginRecord>& result);
  void answerWaiters(const JobPtr& job, const Result<plugins::PluginRecord>& result);
  void save(const Row& row);
  void forget();
  [[nodiscard]] JobPtr get(const std::string& id) const;

  Context with_;
  InstallTargets targets_;
  std::shared_ptr<Looks> looks_;
  std::shared_ptr<Serial> rows_;
  std::map<std::string, JobPtr> jobs_;
  std::deque<JobPtr> waiting_;
  JobPtr running_;
  bool stopping_ = false;
};

/// "job_" and 26 lower-case base32 characters that sort by time.
[[nodiscard]] std::string newJobId(std::int64_t now, const std::function<std::uint64_t()>& random);

}  // namespace svc::installs
