#pragma once

#include "svc/common/codes.h"
#include "svc/storage/thread_store.h"

#include "store_watch.h"

namespace svc::threads::model {

/// A store of a server that can be killed between any two of its changes, and whose disk can be full.
class MortalStore final : public storage::IThreadStore {
 public:
  MortalStore(storage::IThreadStore& inner, StoreWatch& watch) : inner_(&inner), watch_(watch) {}

  void use(storage::IThreadStore& inner) { inner_ = &inner; }
  /// The server is no more: nothing it does from here on has an effect.
  bool dead = false;
  bool full = false;
  /// Changes until the server dies; negative = it does not. It dies before the change of that number, or after it.
  int life = -1;
  bool dies_after = false;

  Result<bool> apply(const storage::ThreadChange& change) override {
    const bool last = !dead && life >= 0 && life-- == 0;
    dead = dead || (last && !dies_after);
    if (dead || full) {
      return Error{errc::kUnavailable, dead ? "killed" : "the disk is full"};
    }
    auto stored = inner_->apply(change);
    if (stored && stored.value()) {
      watch_.stored(change);
    } else if (!stored) {
      watch_.blame("the store refuses a change: " + stored.error().message);
    }
    dead = last;
    return stored;
  }

  Result<std::vector<storage::ThreadRow>> threads() override { return inner_->threads(); }
  Result<std::vector<storage::TurnRow>> turns(const std::string& id) override {
    return inner_->turns(id);
  }
  Result<std::vector<storage::TurnRow>> openTurns() override { return inner_->openTurns(); }
  Result<std::vector<storage::QueuedMessageRow>> queuedMessages() override {
    return inner_->queuedMessages();
  }
  Result<std::vector<storage::InteractionRow>> openInteractions() override {
    return inner_->openInteractions();
  }
  Result<std::optional<storage::InteractionRow>> interaction(const std::string& id) override {
    return inner_->interaction(id);
  }
  Result<std::vector<storage::ThreadSectionRow>> sections() override { return inner_->sections(); }
  Result<storage::ThreadTabsRow> tabs(const std::string& id) override { return inner_->tabs(id); }
  Result<std::string> metadata(const std::string& id, const std::string& plugin_id) override {
    return inner_->metadata(id, plugin_id);
  }
  Result<std::vector<storage::ThreadMetadataRow>> allMetadata(const std::string& id) override {
    return inner_->allMetadata(id);
  }
  Result<std::size_t> threadsWithMetadata(const std::string& plugin_id) override {
    return inner_->threadsWithMetadata(plugin_id);
  }
  Result<std::vector<storage::ThreadEventRow>> events(
      const storage::ThreadEventQuery& query) override {
    return inner_->events(query);
  }
  Result<std::vector<storage::ThreadEventRow>> findEvents(const std::string& text,
                                                          const std::vector<std::string>& types,
                                                          std::size_t limit) override {
    return inner_->findEvents(text, types, limit);
  }

 private:
  storage::IThreadStore* inner_;
  StoreWatch& watch_;
};

}  // namespace svc::threads::model
