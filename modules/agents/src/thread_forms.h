#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <stop_token>
#include <string>
#include <utility>

#include "svc/agents/thread_forms.h"

namespace svc::agents {

/// Carries forms of plugins to the desk that shows them in threads. Thread-safe; outlives its handles.
class ThreadForms final : public IThreadForms, public std::enable_shared_from_this<ThreadForms> {
 public:
  [[nodiscard]] Handle serve(IThreadFormDesk& desk) override;
  [[nodiscard]] bool isServed() const;

  struct Caller {
    std::string plugin_id;
    std::uint64_t load_id = 0;
  };
  /// `request` is the object that the environment sends, with the number it gives the form; `shown` as the form's.
  void ask(const Caller& caller, const std::string& request, std::function<void()> shown,
           Completion<std::string> done);
  /// Nobody waits for the form with that number any more.
  void cancel(const Caller& caller, const std::string& number);
  /// `{ interactionId, description }`.
  void describe(const Caller& caller, const std::string& text);

 private:
  using Key = std::pair<std::uint64_t, std::string>;  ///< load and number

  [[nodiscard]] IThreadFormDesk* desk() const;

  mutable std::mutex mutex_;
  IThreadFormDesk* desk_ = nullptr;
  std::map<Key, std::stop_source> open_;
};

}  // namespace svc::agents
