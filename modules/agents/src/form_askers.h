#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "svc/agents/forms.h"

namespace svc::agents {

/// Who shows the forms of the calls that are open. Thread-safe.
class FormAskers {
 public:
  /// The name of a call of this plugin, for its environment.
  [[nodiscard]] std::string add(const std::string& plugin_id, AskForm ask);
  /// The call is answered.
  void remove(const std::string& call);
  /// `request` is the object that the environment sends; `not_found` when no call of this plugin has the name it gives.
  void ask(const std::string& plugin_id, const std::string& request, Completion<std::string> done);

 private:
  struct Asker {
    std::string plugin_id;
    AskForm ask;
  };

  std::mutex mutex_;
  std::map<std::string, Asker> askers_;
  std::uint64_t last_ = 0;
};

}  // namespace svc::agents
