#pragma once

#include <future>
#include <memory>

#include "svc/storage/key_value_store.h"

namespace svc::storage {

/// Holds the store's thread that writes inside one answer, so that a test decides what the next batch is.
class Gate {
 public:
  /// Returns when the thread is held.
  explicit Gate(IKeyValueStore& store) {
    // Shared with that thread, which may still look at them when this object is gone.
    auto held = std::make_shared<std::promise<void>>();
    store.remove("gate", "gate", [held, opened = open_.get_future().share()](const Status&) {
      held->set_value();
      opened.wait();
    });
    held->get_future().wait();
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  ~Gate() { open_.set_value(); }

 private:
  std::promise<void> open_;
};

}  // namespace svc::storage
