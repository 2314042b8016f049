#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "svc/http/http.h"
#include "svc/kernel/executor.h"

#include "catalogue.h"
#include "incoming.h"
#include "open_requests.h"
#include "streams.h"
#include "tokens.h"

namespace svc::mcp {

/// /api/v1/mcp. Requests arrive on the io thread; what needs the catalogue goes over the main thread and comes back.
class Endpoint : public std::enable_shared_from_this<Endpoint> {
 public:
  /// What it wants to know of plugins. Main thread.
  struct Plugins {
    /// Fires when the sources have what they will have once the server has started, or after `patience`.
    std::function<void(std::chrono::milliseconds patience, Completion<void> done)> settled;
    /// Those that settled() waits for.
    std::function<std::vector<std::string>()> loading;
    /// Success = the plugin runs, `unknown_plugin` = it is not installed; every other error says why it does not run.
    std::function<void(const std::string& plugin_id, Completion<void> done)> running;
  };

  Endpoint(std::shared_ptr<Catalogue> catalogue, std::shared_ptr<OpenRequests> open,
           std::shared_ptr<Streams> streams, std::shared_ptr<Tokens> tokens, IMainExecutor& main,
           Plugins plugins)
      : catalogue_(std::move(catalogue)),
        open_(std::move(open)),
        streams_(std::move(streams)),
        tokens_(std::move(tokens)),
        main_(main),
        plugins_(std::move(plugins)) {}

  [[nodiscard]] Result<std::vector<Handle>> attach(http::IHttpServer& server);

 private:
  void post(const http::ExchangePtr& exchange);
  void get(const http::ExchangePtr& exchange);
  /// Also DELETE: sessions are not kept, so there is nothing to end.
  void notAllowed(const http::ExchangePtr& exchange);
  /// Whom the token of a request stands for, null without one; nothing when it was answered with 401.
  [[nodiscard]] std::optional<TokenPtr> admit(http::IExchange& exchange) const;
  /// Who sends it, as the list of clients has it.
  void recognise(Incoming& incoming) const;
  void request(Incoming incoming);
  void notification(const Incoming& incoming);

  // Methods. Those that only read the catalogue run on the main thread.
  void initialize(const Incoming& incoming);
  void discover(const Incoming& incoming);
  void list(const Incoming& incoming);
  void listen(const Incoming& incoming);
  void ask(Incoming incoming);
  /// What is found is started. Main thread.
  [[nodiscard]] bool findAndStart(const Incoming& incoming, const std::string& key);
  /// A tool that is not there: a call whose plugin does not run is told so as a result, which an agent reads. Main thread.
  void explainAbsence(const Incoming& incoming, const std::string& key);
  void refuseOrPutOff(const Incoming& incoming, const std::string& key);
  /// The call as one that has failed. Its name is not remembered: it may be anything.
  void answerFailed(const Incoming& incoming, const std::string& why) const;
  void refuseUnknown(const Incoming& incoming, const std::string& key) const;
  void start(Incoming incoming, std::string key, const Found& found);
  void answerOnMain(Incoming incoming, void (Endpoint::*method)(const Incoming& incoming));

  [[nodiscard]] const Surroundings& surroundings() const { return open_->surroundings(); }
  void result(const Incoming& incoming, std::string_view members) const;
  void refuse(const Incoming& incoming, Refusal refusal) const;
  void unknownMethod(const Incoming& incoming) const;

  const std::shared_ptr<Catalogue> catalogue_;
  const std::shared_ptr<OpenRequests> open_;
  const std::shared_ptr<Streams> streams_;
  const std::shared_ptr<Tokens> tokens_;
  IMainExecutor& main_;
  const Plugins plugins_;
};

}  // namespace svc::mcp
