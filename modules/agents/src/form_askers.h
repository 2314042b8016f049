#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "svc/agents/forms.h"

namespace svc::agents {

/// Who shows the forms of the calls that are open, or wants to know of them. Thread-safe.
class FormAskers {
 public:
  struct Caller {
    AskForm ask{};                   ///< of a call outside of threads
    std::function<void()> opened{};  ///< of one in a thread, which shows its forms
    std::string thread_id{};
  };
  /// The name of a call of this plugin, for its environment.
  [[nodiscard]] std::string add(const std::string& plugin_id, Caller caller);
  /// The call is answered.
  void remove(const std::string& call);
  /// `request` is the object that the environment sends; `not_found` when no call of this plugin has the name it gives.
  void ask(const std::string& plugin_id, const std::string& request, Completion<std::string> done);
  /// Who wants to know when the form is shown in its thread; empty for nobody. `request` names the call it is for, else it is for the only
  /// one that the plugin has in that thread.
  [[nodiscard]] std::function<void()> openedOf(const std::string& plugin_id,
                                               const std::string& request);

 private:
  struct Asker {
    std::string plugin_id;
    Caller caller;
  };
  /// As it was registered; nothing when no call of this plugin has the name.
  [[nodiscard]] std::optional<Caller> find(const std::string& plugin_id, const std::string& call);
  [[nodiscard]] std::optional<Caller> onlyOf(const std::string& plugin_id,
                                             const std::string& thread_id);

  std::mutex mutex_;
  std::map<std::string, Asker> askers_;
  std::uint64_t last_ = 0;
};

}  // namespace svc::agents
