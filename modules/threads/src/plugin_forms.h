#pragma once

#include <stop_token>
#include <string>

#include "svc/agents/thread_forms.h"

#include "interaction_desk.h"

namespace svc::threads {

/// Forms that plugins show in threads, as interactions. Calls come on script threads and are done on the runner's lane.
class PluginForms final : public agents::IThreadFormDesk {
 public:
  PluginForms(ThreadBook& book, TurnRunner& runner, InteractionDesk& desk)
      : book_(book), runner_(runner), desk_(desk) {}

  void ask(agents::ThreadForm form, std::stop_token stop,
           Completion<common::RawJson> done) override;
  void describe(const std::string& plugin_id, const std::string& interaction_id,
                common::Json description) override;
  /// The environment with this load ends; fires when nothing of it is asked any more.
  void dispose(std::uint64_t load_id, Completion<void> done);
  /// The server ends; fires when nothing is asked any more.
  void close(Completion<void> done);

 private:
  void askNow(const agents::ThreadForm& form, const std::stop_token& stop,
              Completion<common::RawJson> done);

  ThreadBook& book_;
  TurnRunner& runner_;
  InteractionDesk& desk_;
};

}  // namespace svc::threads
