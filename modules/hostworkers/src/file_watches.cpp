#include "file_watches.h"

#include <map>
#include <utility>

#include <fmt/format.h>

#include "svc/common/json.h"
#include "svc/common/limits/hosts.h"
#include "svc/hostworkers/worker_protocol.h"

#include "messages.h"
#include "watch_options.h"

namespace svc::hostworkers {
namespace {

using Send = std::function<void(std::string message)>;

std::string_view nameOf(ChangeType type) {
  switch (type) {
    case ChangeType::kCreate:
      return "create";
    case ChangeType::kUpdate:
      return "update";
    case ChangeType::kDelete:
      break;
  }
  return "delete";
}

std::string eventOf(const TreeChanges& changes) {
  if (changes.rescan()) {
    return R"({"type":"rescan-required"})";
  }
  std::string out = R"({"type":"changed","changes":[)";
  for (const auto& [path, type] : changes.paths()) {
    out.append(out.back() == '[' ? R"({"path":)" : R"(,{"path":)");
    common::appendJsonString(out, path);
    out.append(R"(,"type":")").append(nameOf(type)).append("\"}");
  }
  return out + "]}";
}

std::string startError(const std::string& watch_id, std::string_view message) {
  auto out = simpleMessage(to_worker::kWatchStartError, "watchId", watch_id);
  out.pop_back();
  out.append(",\"message\":");
  common::appendJsonString(out, message);
  return out + "}";
}

/// One watch: what changed, and when it is told.
class Watch {
 public:
  Watch(IExecutor& main, const Send& send, std::string id, WatchOptions options)
      : main_(main), send_(send), id_(std::move(id)), options_(std::move(options)) {}

  void take(const TreeChanges& changes) {
    if (changes_.empty()) {
      wait_ = main_.after(options_.max_wait, [this] { due(); });
    }
    changes_.add(changes);
    if (!changes_.error().empty()) {
      due();
    } else if (!due_) {
      quiet_ = main_.after(options_.debounce, [this] { due(); });
    }
  }

  void acknowledge(std::int64_t sequence) {
    if (unanswered_ && sequence == sequence_) {
      unanswered_ = false;
      flush();
    }
  }

  Handle tree;

 private:
  void due() {
    due_ = true;
    wait_.reset();
    quiet_.reset();
    flush();
  }

  void flush() {
    // Nothing comes after the end of a watch, so it waits for nothing.
    if (!changes_.error().empty()) {
      std::string event = R"({"type":"watch-error","message":)";
      common::appendJsonString(event, changes_.error());
      send(event + "}");
      return;
    }
    if (unanswered_ || !due_) {
      return;
    }
    due_ = false;
    if (const auto changes = std::exchange(changes_, TreeChanges(kBatch)); !changes.empty()) {
      send(eventOf(changes));
    }
  }

  void send(const std::string& event) {
    auto message = simpleMessage(to_worker::kWatchEvent, "watchId", id_);
    message.pop_back();
    message.append(fmt::format(",\"sequence\":{},\"event\":", ++sequence_)).append(event);
    unanswered_ = true;
    send_(message + "}");
  }

  IExecutor& main_;
  const Send& send_;
  const std::string id_;
  const WatchOptions options_;
  TreeChanges changes_{kBatch};
  std::int64_t sequence_ = 0;
  bool unanswered_ = false;
  bool due_ = false;
  Handle quiet_;
  Handle wait_;
};

class WatchSession final : public IWatchSession {
 public:
  WatchSession(IExecutor& main, ITreeWatcher& trees, Send send)
      : main_(main), trees_(trees), send_(std::move(send)) {}

  void start(const std::string& watch_id, const std::string& options) override {
    auto parsed = parseWatchOptions(options);
    if (!parsed) {
      send_(startError(watch_id, parsed.error().message));
      return;
    }
    if (watches_.contains(watch_id)) {
      send_(startError(watch_id, "there is a watch with this id already"));
      return;
    }
    if (watches_.size() >= limits::kWatchCount) {
      send_(startError(watch_id, fmt::format("a worker has at most {} watches (limit watch-count)",
                                             limits::kWatchCount)));
      return;
    }
    const auto root = parsed.value().root;
    const auto ignored = parsed.value().ignored;
    const auto watch = std::make_shared<Watch>(main_, send_, watch_id, std::move(parsed).value());
    watches_[watch_id] = watch;
    watch->tree = trees_.watch(
        root, ignored, [this, watch_id](const TreeChanges& changes) { changed(watch_id, changes); },
        [this, watch_id, weak = std::weak_ptr(watch)](const Status& outcome) {
          if (weak.lock()) {
            started(watch_id, outcome);
          }
        });
  }

  void stop(const std::string& watch_id) override { watches_.erase(watch_id); }

  void acknowledge(const std::string& watch_id, std::int64_t sequence) override {
    if (const auto found = watches_.find(watch_id); found != watches_.end()) {
      found->second->acknowledge(sequence);
    }
  }

  [[nodiscard]] std::size_t count() const override { return watches_.size(); }

 private:
  void started(const std::string& watch_id, const Status& outcome) {
    if (outcome) {
      send_(simpleMessage(to_worker::kWatchReady, "watchId", watch_id));
      return;
    }
    watches_.erase(watch_id);
    send_(startError(watch_id, outcome.error().message));
  }

  void changed(const std::string& watch_id, const TreeChanges& changes) {
    const auto found = watches_.find(watch_id);
    if (found == watches_.end()) {
      return;
    }
    found->second->take(changes);
    // Nothing more comes of it, nor does it keep the worker from idling.
    if (!changes.error().empty()) {
      watches_.erase(watch_id);
    }
  }

  IExecutor& main_;
  ITreeWatcher& trees_;
  const Send send_;
  std::map<std::string, std::shared_ptr<Watch>> watches_;
};

}  // namespace

std::unique_ptr<IWatchSession> FileWatches::session(Send send) {
  if (!trees_) {
    trees_.emplace(main_);
  }
  return makeWatchSession(main_, *trees_, std::move(send));
}

std::unique_ptr<IWatchSession> makeWatchSession(IExecutor& main, ITreeWatcher& trees, Send send) {
  return std::make_unique<WatchSession>(main, trees, std::move(send));
}

}  // namespace svc::hostworkers
