#pragma once

#include <memory>
#include <mutex>
#include <utility>

#include "svc/agents/forms.h"

namespace svc::agents {

class FormPages final : public IFormPages {
 public:
  [[nodiscard]] Handle serve(FormPage page) override {
    auto served = std::make_shared<const FormPage>(std::move(page));
    const std::scoped_lock lock(state_->mutex);
    state_->page = served;
    return Handle([state = state_, served] {
      const std::scoped_lock state_lock(state->mutex);
      if (state->page == served) {
        state->page.reset();
      }
    });
  }
  /// Null while nobody shows forms.
  [[nodiscard]] std::shared_ptr<const FormPage> page() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->page;
  }

 private:
  struct State {
    std::mutex mutex;
    std::shared_ptr<const FormPage> page;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace svc::agents
