#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include <spdlog/logger.h>

#include "svc/kernel/executor.h"

#include "installation.h"
#include "transport.h"
#include "update_record.h"

namespace svc::serverlink {

/// A server that speaks a newer protocol and has a daemon for this machine.
struct UpdateOffer {
  Endpoint endpoint;
  std::string host_key;
  std::int64_t server_protocol = 0;
};

/// Replaces this program by the server's and has it start: fetch, check, unpack, try, swap. Whatever fails before the swap
/// changes nothing, is in the log once, and reaches the server with the next offer. A new program that never connects is replaced
/// by the old one, which does not try that package again until a person asks for it. Main thread.
class SelfUpdate final : public std::enable_shared_from_this<SelfUpdate> {
 public:
  struct With {
    ITransport& transport;
    IMainExecutor& main;
    IBulkWorkers& workers;
    Installation installation;
    std::filesystem::path data_directory;
    std::vector<std::string> arguments;  ///< of this process, without its name
    std::string platform;
    int protocol_version = 0;
    /// Stops this program and has `executable` run in its place.
    std::function<void(const std::filesystem::path& executable, const std::string& why)>
        start_again;
    std::shared_ptr<spdlog::logger> log;
  };
  explicit SelfUpdate(With with) : with_(std::move(with)) {}

  enum class Start : std::uint8_t {
    kFresh,
    kResumed,  ///< in place of a process of another version: what its command line asks for once is done
    kGoesBack,  ///< the program from before the update takes over
  };
  /// Once, before anything else is done. Reads and writes a small file.
  [[nodiscard]] Start begin();
  /// Does nothing while an update is under way.
  void offer(UpdateOffer offer);
  /// This program cannot start. True when it is new and the one before takes over.
  [[nodiscard]] bool giveWay(const std::string& why);
  /// A session has opened: this program works.
  void connected();
  /// What is under way ends; this program has not failed.
  void stop();

 private:
  struct Package {
    std::string version;
    std::int64_t protocol_version = 0;
    std::string platform;
    std::uint64_t bytes = 0;
    std::string sha256;
    std::int64_t retry_requested_at = 0;
  };
  using StagingPtr = std::shared_ptr<Staging>;

  [[nodiscard]] Result<Package> describe(const Result<HttpAnswer>& answer) const;
  [[nodiscard]] bool isGivenUp(const Package& package) const;
  void onDescribed(const Result<HttpAnswer>& answer, bool able);
  void download(const StagingPtr& staging);
  void onDownloaded(const StagingPtr& staging, const Result<Download>& download);
  [[nodiscard]] static Status install(const With& with, const Package& package,
                                      const StagingPtr& staging, const std::stop_token& stop);
  void onInstalled(const Status& status);
  void failed(const std::string& why);
  void complain(const std::string& why);
  void save(const std::optional<UpdateRecord>& record) const;
  [[nodiscard]] bool goBack(UpdateRecord record, const std::string& why);
  /// Runs `job` on a worker and `then` with its result here.
  template <class Job, class Then>
  void onWorker(Job job, Then then);

  With with_;
  std::stop_source stop_;
  std::optional<UpdateRecord> trying_;  // this program is new and has not connected
  std::optional<UpdateRecord> given_up_;
  bool busy_ = false;
  bool settled_ = false;
  UpdateOffer offer_;
  Package package_;
  std::string failure_;    // of the last try, for the server
  std::string said_;       // what the log has last
  std::string announced_;  // digest of the package that the log has last
};

}  // namespace svc::serverlink
