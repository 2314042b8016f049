#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include <spdlog/logger.h>

#include "svc/installs/package_sources.h"
#include "svc/plugins/plugin_updates.h"
#include "svc/storage/service_settings.h"

#include "threads.h"

namespace svc::updates {

/// What the sources of installed plugins offer: asked at start, every lim.updateCheck and on request, at most
/// lim.updateParallel at a time; the answers survive a restart. Main thread.
class UpdateChecks final : public std::enable_shared_from_this<UpdateChecks> {
 public:
  struct Context {
    Threads threads;
    const IClock& clock;
    plugins::IPluginUpdates& updates;
    installs::IPackageSources& sources;
    storage::IServiceSettings& settings;
    std::shared_ptr<spdlog::logger> log;
    /// Configuration `updates.check`.
    std::function<bool()> enabled;
  };
  explicit UpdateChecks(Context with);

  /// Reads the last results. Blocks: once, before plugins are loaded.
  [[nodiscard]] Status load();
  /// Checks in the background from now on.
  void open();
  void stop();

  /// Asks the source of one plugin, or of all for an empty id: `{ results: UpdateCheck[] }`, ascending by id.
  void check(std::string plugin_id, Completion<common::Json> done);
  /// The last results, without asking anybody.
  [[nodiscard]] common::Json results() const;
  /// An update has ended: asks again what is offered.
  void refresh(const std::string& plugin_id);

 private:
  /// One request: the plugins it asks for, and how many answers are missing.
  struct Round {
    std::set<std::string> ids;
    std::size_t open = 0;
    Completion<common::Json> done;
  };
  using RoundPtr = std::shared_ptr<Round>;
  struct Question {
    storage::PluginRow row;
    RoundPtr round;
  };

  void arm();
  void begin(const std::string& plugin_id, const std::vector<storage::PluginRow>& rows,
             Completion<common::Json> done);
  void ask();
  void answered(const Question& question, const Result<installs::Resolution>& found);
  void close(const RoundPtr& round);
  void show(const std::string& plugin_id);
  [[nodiscard]] common::Json select(const std::set<std::string>& ids) const;

  const Context with_;
  std::stop_source stop_;
  std::map<std::string, common::Json> results_;  ///< UpdateCheck by plugin
  std::deque<Question> waiting_;
  std::size_t running_ = 0;
  Handle timer_;
  bool stopped_ = false;
};

/// UpdateCheck of one plugin: what an answer of its source means.
[[nodiscard]] common::Json updateCheck(const storage::PluginRow& row,
                                       const Result<installs::Resolution>& found, std::int64_t now);
/// `updateState` of the record for an UpdateCheck.
[[nodiscard]] common::Json updateState(const common::Json& check);

}  // namespace svc::updates
