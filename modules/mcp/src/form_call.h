#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "svc/agents/forms.h"
#include "svc/mcp/sources.h"

#include "forms.h"

namespace svc::mcp {

class FormCall;

/// Calls of tools whose clients can be sent to a page with a form. Io thread, but for what FormCall says.
class FormCalls : public std::enable_shared_from_this<FormCalls> {
 public:
  struct Parts {
    http::IReactor& reactor;
    std::shared_ptr<Forms> forms;
    std::function<std::string()> random;
    /// The address of the page with a form.
    std::function<std::string(const std::string& form)> page;
  };
  explicit FormCalls(Parts parts) : parts_(std::move(parts)) {}

  /// Whether the client of the request can be sent to a page.
  [[nodiscard]] static bool possible(const Request& request);
  /// The call that the request goes on with, which it then is a part of; nullptr = it begins one. `invalid_input` when it says that it
  /// goes on and there is no such call of this client, with this tool and these arguments. Answers `done` unless it returns nullptr.
  [[nodiscard]] std::optional<Error> resume(Request& request, Completion<Answer>& done,
                                            bool& resumed);
  [[nodiscard]] std::shared_ptr<FormCall> begin(Request& request, Completion<Answer> done);
  /// Ends the calls that came with this token and wait for their clients.
  void revoke(const std::string& token);

 private:
  friend class FormCall;

  const Parts parts_;
  std::map<std::string, std::shared_ptr<FormCall>, std::less<>> parked_;  // by requestState
};

/// One call and the forms it shows. Before 2026-07-28 its request stays open meanwhile and the client is asked in between; later the
/// request ends with `input_required`, the tool goes on, and the client comes back with another request.
class FormCall : public std::enable_shared_from_this<FormCall> {
 public:
  FormCall(std::shared_ptr<FormCalls> calls, const Request& request);

  [[nodiscard]] std::stop_token stop() const { return stop_.get_token(); }
  /// Any thread.
  void asked(agents::FormRequest request, Completion<common::RawJson> done);
  void finished(Result<Answer> answer);

 private:
  friend class FormCalls;
  struct Leave {
    std::stop_source target;
    void operator()() { target.request_stop(); }
  };

  void attach(Request& request, Completion<Answer> done);
  void open(agents::FormRequest request, Completion<common::RawJson> done);
  void askInBetween();
  void askByResult();
  /// A client that waits for a person is told in time to come back once more.
  void askAgainLater();
  void park();
  void give(Result<Answer> answer);
  [[nodiscard]] common::Json question() const;

  const std::shared_ptr<FormCalls> calls_;
  const bool modern_;
  const std::string key_;
  const std::string arguments_;
  const std::string token_;
  const std::string client_;
  std::stop_source stop_;
  std::shared_ptr<IConversation> conversation_;
  std::optional<std::stop_callback<Leave>> on_leave_;
  Completion<Answer> done_;
  std::optional<Result<Answer>> answer_;  // nobody has taken it yet
  std::string form_;                      // the open one
  std::string asked_;                     // the one that the client was told of last
  std::string title_;
  std::string state_;  // what the client comes back with; empty = it has not left
  Handle expiry_;
};

}  // namespace svc::mcp
