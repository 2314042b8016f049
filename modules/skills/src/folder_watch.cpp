#include "folder_watch.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include "svc/base/fd.h"
#include "svc/base/inotify_trees.h"

namespace svc::skills {

using base::InotifyTrees;

struct FolderWatch::Shared {
  explicit Shared(std::function<void()> told)
      : changed(std::move(told)), wake(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void run() {
    InotifyTrees trees;
    std::map<std::string, InotifyTrees::TreeId> watched;
    InotifyTrees::TreeId last = 0;
    while (true) {
      std::array<pollfd, 2> wait{{{wake.get(), POLLIN, 0}, {trees.descriptor(), POLLIN, 0}}};
      ::poll(wait.data(), wait.size(), -1);
      eventfd_t ignored = 0;
      ::eventfd_read(wake.get(), &ignored);
      std::optional<std::vector<std::filesystem::path>> now;
      {
        const std::scoped_lock lock(mutex);
        if (stopping) {
          return;
        }
        now = std::exchange(wanted, std::nullopt);
      }
      const auto changes = trees.read();
      if (now) {
        follow(trees, watched, last, *now);
      }
      for (const auto& [id, change] : changes) {
        if (!change.error().empty()) {
          std::erase_if(watched, [lost = id](const auto& each) { return each.second == lost; });
        }
      }
      if (!changes.empty()) {
        changed();
      }
    }
  }

  static void follow(InotifyTrees& trees, std::map<std::string, InotifyTrees::TreeId>& watched,
                     InotifyTrees::TreeId& last,
                     const std::vector<std::filesystem::path>& folders) {
    for (auto each = watched.begin(); each != watched.end();) {
      if (std::find(folders.begin(), folders.end(), each->first) == folders.end()) {
        trees.remove(each->second);
        each = watched.erase(each);
      } else {
        ++each;
      }
    }
    for (const auto& folder : folders) {
      // One that cannot be watched is read when somebody asks.
      if (!watched.contains(folder) && trees.add(last + 1, folder)) {
        watched.emplace(folder, ++last);
      }
    }
  }

  const std::function<void()> changed;
  const base::Fd wake;
  std::mutex mutex;
  bool stopping = false;
  std::optional<std::vector<std::filesystem::path>> wanted;
  std::thread thread;
};

FolderWatch::FolderWatch(std::function<void()> changed)
    : shared_(std::make_unique<Shared>(std::move(changed))) {
  shared_->thread = std::thread([shared = shared_.get()] { shared->run(); });
  pthread_setname_np(shared_->thread.native_handle(), "skill-folders");
}

FolderWatch::~FolderWatch() {
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->stopping = true;
  }
  ::eventfd_write(shared_->wake.get(), 1);
  shared_->thread.join();
}

void FolderWatch::follow(std::vector<std::filesystem::path> folders) {
  {
    const std::scoped_lock lock(shared_->mutex);
    shared_->wanted = std::move(folders);
  }
  ::eventfd_write(shared_->wake.get(), 1);
}

}  // namespace svc::skills
