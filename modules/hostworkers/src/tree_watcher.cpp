#include "tree_watcher.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>

#include "svc/base/fd.h"
#include "svc/base/inotify_trees.h"
#include "svc/base/path_bounds.h"

namespace svc::hostworkers {

using base::InotifyTrees;
using TreeId = InotifyTrees::TreeId;

/// Changes of one tree on their way to the main thread: collected while that is busy.
struct Mailbox {
  std::mutex mutex;
  TreeChanges changes{kBatch};
  bool posted = false;
};

/// One tree and those who watch it. Main thread, but for the mailbox.
struct TreeWatcher::Tree {
  TreeId id = 0;
  std::map<std::uint64_t, Listener> listeners;
  std::vector<Completion<void>> starting;
  bool ready = false;
  std::shared_ptr<Mailbox> mailbox = std::make_shared<Mailbox>();
};

struct TreeWatcher::Shared : std::enable_shared_from_this<Shared> {
  explicit Shared(IExecutor& executor)
      : main(executor), wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  /// Has `job` run on the thread.
  void submit(std::function<void(InotifyTrees&)> job) {
    {
      const std::scoped_lock lock(mutex);
      jobs.push_back(std::move(job));
    }
    ::eventfd_write(wake.get(), 1);
  }

  void run() {
    InotifyTrees watched({.batch = kBatch});
    while (!stopping) {
      std::array<pollfd, 2> wait{{{wake.get(), POLLIN, 0}, {watched.descriptor(), POLLIN, 0}}};
      ::poll(wait.data(), wait.size(), -1);
      eventfd_t ignored = 0;
      ::eventfd_read(wake.get(), &ignored);
      std::vector<std::function<void(InotifyTrees&)>> now;
      {
        const std::scoped_lock lock(mutex);
        now.swap(jobs);
      }
      for (const auto& job : now) {
        job(watched);
      }
      if ((wait[1].revents & POLLIN) != 0) {
        for (auto& [id, changes] : watched.read()) {
          deliver(id, changes);
        }
      }
    }
  }

  void deliver(TreeId id, const TreeChanges& changes) {
    std::shared_ptr<Mailbox> mailbox;
    {
      const std::scoped_lock lock(mutex);
      const auto found = mailboxes.find(id);
      if (found == mailboxes.end()) {
        return;
      }
      mailbox = found->second;
    }
    {
      const std::scoped_lock lock(mailbox->mutex);
      mailbox->changes.add(changes);
      if (std::exchange(mailbox->posted, true)) {
        return;
      }
    }
    main.post([weak = weak_from_this(), id, mailbox] {
      TreeChanges collected;
      {
        const std::scoped_lock lock(mailbox->mutex);
        collected = std::exchange(mailbox->changes, TreeChanges(kBatch));
        mailbox->posted = false;
      }
      if (const auto self = weak.lock()) {
        self->tell(id, collected);
      }
    });
  }

  void tell(TreeId id, const TreeChanges& changes) {
    const auto found = std::find_if(trees.begin(), trees.end(),
                                    [id](const auto& each) { return each.second->id == id; });
    if (found == trees.end()) {
      return;
    }
    const auto tree = found->second;
    if (!changes.error().empty()) {
      forget(found->first);
    }
    // Listeners may let go of their watches.
    const auto listeners = tree->listeners;
    for (const auto& [number, listener] : listeners) {
      if (tree->listeners.contains(number)) {
        listener(changes);
      }
    }
  }

  void started(const Key& key, TreeId id, const Status& outcome) {
    const auto found = trees.find(key);
    if (found == trees.end() || found->second->id != id) {
      return;
    }
    const auto tree = found->second;
    tree->ready = true;
    if (!outcome) {
      forget(key);
    }
    for (auto& done : std::exchange(tree->starting, {})) {
      done(outcome);
    }
  }

  void forget(const Key& key) {
    const auto found = trees.find(key);
    if (found == trees.end()) {
      return;
    }
    const auto id = found->second->id;
    trees.erase(found);
    {
      const std::scoped_lock lock(mutex);
      mailboxes.erase(id);
    }
    submit([id](InotifyTrees& on_thread) { on_thread.remove(id); });
  }

  void unwatch(const Key& key, const std::shared_ptr<Tree>& tree, std::uint64_t listener) {
    tree->listeners.erase(listener);
    const auto found = trees.find(key);
    if (tree->listeners.empty() && found != trees.end() && found->second == tree) {
      forget(key);
    }
  }

  IExecutor& main;
  base::Fd wake;
  std::atomic<bool> stopping{false};
  std::mutex mutex;
  std::vector<std::function<void(InotifyTrees&)>> jobs;
  std::map<TreeId, std::shared_ptr<Mailbox>> mailboxes;
  std::thread thread;

  // Main thread.
  std::map<Key, std::shared_ptr<Tree>> trees;
  TreeId last_tree = 0;
  std::uint64_t last_listener = 0;
};

TreeWatcher::TreeWatcher(IExecutor& main) : shared_(std::make_shared<Shared>(main)) {}

TreeWatcher::~TreeWatcher() {
  if (shared_->thread.joinable()) {
    shared_->stopping = true;
    ::eventfd_write(shared_->wake.get(), 1);
    shared_->thread.join();
  }
}

Handle TreeWatcher::watch(const std::string& root, const std::vector<std::string>& ignored,
                          Listener listener, Completion<void> done) {
  if (!shared_->thread.joinable()) {
    shared_->thread = std::thread([shared = shared_.get()] { shared->run(); });
    pthread_setname_np(shared_->thread.native_handle(), "file-watches");
  }
  Key key{root, ignored};
  std::sort(key.second.begin(), key.second.end());
  auto& tree = shared_->trees[key];
  const bool is_new = !tree;
  if (is_new) {
    tree = std::make_shared<Tree>();
    tree->id = ++shared_->last_tree;
    const std::scoped_lock lock(shared_->mutex);
    shared_->mailboxes[tree->id] = tree->mailbox;
  }
  const auto number = ++shared_->last_listener;
  tree->listeners.emplace(number, std::move(listener));
  if (tree->ready) {
    shared_->main.post(
        [answer = std::make_shared<Completion<void>>(std::move(done))] { (*answer)({}); });
  } else {
    tree->starting.push_back(std::move(done));
  }
  if (is_new) {
    shared_->submit([weak = std::weak_ptr(shared_), key, id = tree->id](InotifyTrees& trees) {
      auto outcome = trees.add(
          id, key.first, [ignored = key.second](const std::string& path, bool /*is_directory*/) {
            return std::any_of(ignored.begin(), ignored.end(), [&path](const std::string& folder) {
              return base::isWithin(path, folder);
            });
          });
      if (const auto self = weak.lock()) {
        self->main.post([weak, key, id, outcome = std::move(outcome)] {
          if (const auto on_main = weak.lock()) {
            on_main->started(key, id, outcome);
          }
        });
      }
    });
  }
  return Handle([weak = std::weak_ptr(shared_), key, tree, number] {
    if (const auto self = weak.lock()) {
      self->unwatch(key, tree, number);
    }
  });
}

}  // namespace svc::hostworkers
