#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "svc/kernel/config_changes.h"

#include "config.h"

namespace svc::kernel {

/// The configuration of the running program: reads go to the current one, reload() replaces it.
class LiveConfig final : public IConfig, public IConfigChanges {
 public:
  /// The text of the configuration file as it is now.
  using ReadFile = std::function<Result<std::string>()>;
  /// Hears how every reload ended. Main thread.
  using Report = std::function<void(const Result<Outcome>& outcome)>;

  LiveConfig(Config config, ConfigSources sources, ReadFile read_file, IMainExecutor& main,
             Report report);

  [[nodiscard]] std::string getString(std::string_view key) const override;
  [[nodiscard]] std::int64_t getInteger(std::string_view key) const override;
  [[nodiscard]] bool getBoolean(std::string_view key) const override;
  [[nodiscard]] std::vector<std::string> getStringList(std::string_view key) const override;
  [[nodiscard]] std::string getJson(std::string_view key) const override;
  [[nodiscard]] std::string origin(std::string_view key) const override;

  [[nodiscard]] Handle add(Listener listener) override;
  [[nodiscard]] Handle onApplied(std::function<void()> listener) override;
  void reload(Completion<Outcome> done) override;
  [[nodiscard]] std::shared_ptr<const Config> current() const { return current_.load(); }

 private:
  using ListenerPtr = std::shared_ptr<const Listener>;

  [[nodiscard]] Result<Outcome> readAgain();

  std::atomic<std::shared_ptr<const Config>> current_;
  ConfigSources sources_;
  ReadFile read_file_;
  IMainExecutor& main_;
  Report report_;
  std::shared_ptr<std::vector<ListenerPtr>> listeners_ =
      std::make_shared<std::vector<ListenerPtr>>();
  using AppliedPtr = std::shared_ptr<const std::function<void()>>;
  std::shared_ptr<std::vector<AppliedPtr>> applied_ = std::make_shared<std::vector<AppliedPtr>>();
};

}  // namespace svc::kernel
