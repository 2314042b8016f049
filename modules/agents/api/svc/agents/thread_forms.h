#pragma once

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>

#include "svc/agents/forms.h"
#include "svc/common/json.h"
#include "svc/kernel/completion.h"
#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::agents {

/// A form that a plugin wants to have shown in a thread; checked.
struct ThreadForm {
  std::string thread_id{};
  FormRequest request{};
  common::Json presentation{};  ///< null = none
  std::uint64_t load_id = 0;    ///< of the plugin's environment: the form ends with it
  bool described = false;       ///< describe() follows an answer
  /// Called on any thread when it is there for whoever asks, before its outcome; empty: nobody wants to know.
  std::function<void()> shown{};
};

/// Who shows forms in threads. Called on script threads, so it is quick.
class IThreadFormDesk {
 public:
  virtual ~IThreadFormDesk() = default;
  /// Fires once, on any thread: `{outcome:"submitted",value,interactionId}` or `{outcome:"cancelled",reason}`. `not_found` for an unknown thread.
  /// `stop`: who asks has given up.
  virtual void ask(ThreadForm form, std::stop_token stop, Completion<common::RawJson> done) = 0;
  /// What the timeline keeps of an answer: `{title?,detail?,payload?}`, or null. Only of the plugin that asked.
  virtual void describe(const std::string& plugin_id, const std::string& interaction_id,
                        common::Json description) = 0;
};

/// Where the one desk is made known. Thread-safe.
class IThreadForms {
 public:
  static constexpr ServiceId kId{"svc.agents.ThreadForms", 1};
  virtual ~IThreadForms() = default;
  /// The desk outlives the handle.
  [[nodiscard]] virtual Handle serve(IThreadFormDesk& desk) = 0;
};

}  // namespace svc::agents
