#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "svc/agents/forms.h"
#include "svc/http/http.h"
#include "svc/kernel/executor.h"

namespace svc::mcp {

/// Forms of plugins that wait for an answer on a page of the window, and /api/v1/mcp/forms/:form for that page. Whoever has the id of a
/// form may answer it. Io thread.
class Forms : public std::enable_shared_from_this<Forms> {
 public:
  struct Parts {
    http::IReactor& reactor;
    const IClock& clock;
    /// Something nobody can guess.
    std::function<std::string()> random;
  };
  explicit Forms(Parts parts) : parts_(std::move(parts)) {}

  /// The id of a new form; `done` fires with its outcome, within the time of the request. `client` is the name of the program that waits
  /// for it; empty = it has none.
  [[nodiscard]] std::string open(agents::FormRequest request, std::string client,
                                 Completion<common::RawJson> done);
  /// Ends a form that nobody has answered, with `reason` of `requestInput`.
  void cancel(const std::string& id, std::string_view reason);
  [[nodiscard]] bool isOpen(const std::string& id) const { return forms_.contains(id); }

  [[nodiscard]] Result<std::vector<Handle>> attach(http::IHttpServer& server);

 private:
  struct Form {
    agents::FormRequest request;
    std::string client;
    Completion<common::RawJson> done;
    std::int64_t created_at = 0;
    Handle timer;
  };

  void show(const http::ExchangePtr& exchange);
  void respond(const http::ExchangePtr& exchange);
  void withdraw(const http::ExchangePtr& exchange);
  void end(const std::string& id, std::string outcome);

  const Parts parts_;
  std::map<std::string, Form, std::less<>> forms_;
};

}  // namespace svc::mcp
