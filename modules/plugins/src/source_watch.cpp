#include "source_watch.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>

#include <array>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "svc/base/fd.h"
#include "svc/base/inotify_trees.h"
#include "svc/base/source_names.h"
#include "svc/common/codes.h"

namespace svc::plugins {
namespace {

constexpr base::InotifyTrees::TreeId kSources = 1;

std::set<std::string> foldersOf(const base::TreeChanges& changes) {
  std::set<std::string> out;
  for (const auto& [path, type] : changes.paths()) {
    out.insert(path.substr(0, path.find('/')));
  }
  return out;
}

std::string failure(const std::string& why) {
  return fmt::format("source watcher failed; hot reload is off until the server restarts: {}", why);
}

}  // namespace

struct SourceWatch::Shared {
  explicit Shared(Options given)
      : options(std::move(given)),
        trees({.updates = IN_MODIFY | IN_CLOSE_WRITE, .add_watch = options.add_watch}),
        stop(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}

  void run() {
    for (;;) {
      std::array<pollfd, 2> wait{{{stop.get(), POLLIN, 0}, {trees.descriptor(), POLLIN, 0}}};
      ::poll(wait.data(), wait.size(), -1);
      if (wait[0].revents != 0) {
        return;
      }
      for (const auto& [id, changes] : trees.read()) {
        if (!changes.error().empty()) {
          options.warn(failure(changes.error()));
          return;
        }
        // What came and went between two readings leaves nothing to tell of.
        if (!changes.empty()) {
          options.changed(foldersOf(changes));
        }
      }
    }
  }

  const Options options;
  base::InotifyTrees trees;
  const base::Fd stop;
  std::thread thread;
};

SourceWatch::SourceWatch(Options options) : shared_(std::make_unique<Shared>(std::move(options))) {
  const auto& given = shared_->options;
  const auto added = shared_->trees.add(kSources, given.directory.string(), base::isIgnoredSource);
  if (added) {
    shared_->thread = std::thread([shared = shared_.get()] { shared->run(); });
    pthread_setname_np(shared_->thread.native_handle(), "plugin-sources");
  } else if (added.error().code != errc::kNotFound) {
    given.warn(failure(added.error().message));
  }
}

SourceWatch::~SourceWatch() {
  if (shared_->thread.joinable()) {
    ::eventfd_write(shared_->stop.get(), 1);
    shared_->thread.join();
  }
}

}  // namespace svc::plugins
