#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <spdlog/logger.h>

#include "svc/base/path_bounds.h"
#include "svc/kernel/executor.h"
#include "svc/serverlink/server_link.h"

#include "command_table.h"
#include "session.h"
#include "transport.h"

namespace svc::serverlink {

/// The daemon's way to its server, across sessions and credentials. Main thread except send(), post() and
/// download().
class ServerLink final : public IServerLink, public ISessionOwner {
 public:
  using Ended = std::function<void(SessionEnd, const std::string& why)>;
  using Offered = std::function<void(std::int64_t server_protocol)>;

  ServerLink(ITransport& transport, IMainExecutor& main, const IClock& clock, IWorkerPool& workers,
             base::PathBounds bounds, std::shared_ptr<spdlog::logger> log,
             std::function<double()> random);

  /// Connects, in place of an earlier session. `ended` is called when there will be no session any more, `offered` (may be
  /// empty) as ISessionOwner::onUpdateOffered.
  void connect(SessionIdentity identity, Ended ended, Offered offered = {});
  void stop(Completion<void> done);

  [[nodiscard]] Handle onCommand(std::string type, CommandHandler handler) override;
  [[nodiscard]] Handle onMessage(std::string type, MessageHandler handler) override;
  [[nodiscard]] Handle onSession(
      std::function<void(const std::vector<PluginGeneration>& current)> listener) override;
  void send(std::string message) override;
  [[nodiscard]] Handle onSessionLost(std::function<void()> listener) override;
  [[nodiscard]] Handle onRefused(std::function<void()> listener) override;
  [[nodiscard]] std::size_t backlog() const override;
  void post(std::string path, std::string body, Completion<HttpAnswer> done) override;
  void download(std::string path, std::filesystem::path file, std::uint64_t limit,
                Completion<Download> done) override;
  [[nodiscard]] std::string hostId() const override;
  [[nodiscard]] std::string serverUrl() const override;

  void onSessionOpened(const std::vector<PluginGeneration>& generations) override;
  void onSessionLost() override;
  void onSessionRefused() override;
  void onRequest(CommandRequest request, Completion<std::string> answer) override;
  void onMessage(const std::string& type, const std::string& text) override;
  void onUpdateOffered(std::int64_t server_protocol) override;
  void onSessionEnded(SessionEnd end, const std::string& why) override;

 private:
  using Opened = std::function<void(const std::vector<PluginGeneration>&)>;
  using Lost = std::function<void()>;
  /// Listeners may come and go while they are called.
  template <class Listener>
  struct Listeners {
    std::map<std::uint64_t, Listener> by_number;
    std::uint64_t last = 0;

    [[nodiscard]] static Handle add(const std::shared_ptr<Listeners>& listeners, Listener listener);
    template <class... Args>
    void call(const Args&... arguments);
  };

  [[nodiscard]] std::shared_ptr<Session> session() const;
  template <class T>
  void refuse(Completion<T> done);
  void addBuiltIn(std::string_view type,
                  Result<std::string> (*answer)(const std::string&, const base::PathBounds&));

  ITransport& transport_;
  IMainExecutor& main_;
  const IClock& clock_;
  IWorkerPool& workers_;
  const base::PathBounds bounds_;
  std::shared_ptr<spdlog::logger> log_;
  std::function<double()> random_;
  CommandTable commands_;
  std::shared_ptr<std::map<std::string, MessageHandler>> messages_ =
      std::make_shared<std::map<std::string, MessageHandler>>();
  std::shared_ptr<Listeners<Opened>> opened_ = std::make_shared<Listeners<Opened>>();
  std::shared_ptr<Listeners<Lost>> lost_ = std::make_shared<Listeners<Lost>>();
  std::shared_ptr<Listeners<Lost>> refused_ = std::make_shared<Listeners<Lost>>();
  bool open_ = false;
  std::vector<Handle> built_in_;
  Ended ended_;
  Offered offered_;
  mutable std::mutex mutex_;
  std::shared_ptr<Session> session_;  // guarded; replaced on the main thread only
};

}  // namespace svc::serverlink
