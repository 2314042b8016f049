#include "plugin_forms.h"

#include <functional>
#include <memory>
#include <utility>

namespace svc::threads {

using common::Json;

namespace {

/// What cancels a form when who asks gives up; lives as long as the form is open.
struct GivingUp {
  std::stop_callback<std::function<void()>> callback;
  GivingUp(const std::stop_token& stop, std::function<void()> cancel)
      : callback(stop, std::move(cancel)) {}
};

}  // namespace

void PluginForms::ask(agents::ThreadForm form, std::stop_token stop,
                      Completion<common::RawJson> done) {
  auto held = std::make_shared<Completion<common::RawJson>>(std::move(done));
  runner_.run([this, form = std::move(form), stop = std::move(stop), held] {
    askNow(form, stop, [held](Result<common::RawJson> outcome) { (*held)(std::move(outcome)); });
  });
}

void PluginForms::askNow(const agents::ThreadForm& form, const std::stop_token& stop,
                         Completion<common::RawJson> done) {
  const auto& request = form.request;
  auto asked = Json::object()
                   .set("pluginId", request.plugin_id)
                   .set("rendererId", request.renderer_id)
                   .set("title", request.title)
                   .set("data", Json::raw(request.payload))
                   .set("presentation", form.presentation)
                   .set("loadId", static_cast<std::int64_t>(form.load_id))
                   .set("described", form.described);
  auto giving_up = std::make_shared<std::unique_ptr<GivingUp>>();
  auto held = std::make_shared<Completion<common::RawJson>>(std::move(done));
  const auto id = desk_.ask(form.thread_id, asked, book_.now() + request.timeout.count(),
                            [this, held, giving_up](Result<Json> outcome) {
                              // Dropped: not asked, which is answered below, or the desk has gone and nothing is left.
                              if (!outcome) {
                                return;
                              }
                              // Not here: the callback may be what ends the form.
                              runner_.run([giving_up] { giving_up->reset(); });
                              (*held)(common::RawJson(outcome.value().dump()));
                            });
  if (!id) {
    return (*held)(id.error());
  }
  if (form.shown) {
    form.shown();
  }
  *giving_up = std::make_unique<GivingUp>(stop, [this, thread_id = form.thread_id,
                                                 interaction_id = id.value()] {
    runner_.run([this, thread_id, interaction_id] {
      // The calls of an agent that is told to stop end before it says so.
      const auto thread = book_.thread(thread_id);
      const bool stops = thread && isStopping(thread.value());
      (void)desk_.cancel(thread_id, interaction_id, stops ? "thread-stopped" : "request-aborted");
    });
  });
}

void PluginForms::describe(const std::string& plugin_id, const std::string& interaction_id,
                           Json description) {
  runner_.run([this, plugin_id, interaction_id, description = std::move(description)] {
    desk_.describe(plugin_id, interaction_id, description);
  });
}

void PluginForms::dispose(std::uint64_t load_id, Completion<void> done) {
  auto held = std::make_shared<Completion<void>>(std::move(done));
  runner_.run([this, load_id, held] {
    desk_.dispose(load_id);
    (*held)({});
  });
}

void PluginForms::close(Completion<void> done) {
  auto held = std::make_shared<Completion<void>>(std::move(done));
  runner_.run([this, held] {
    desk_.close();
    (*held)({});
  });
}

}  // namespace svc::threads
