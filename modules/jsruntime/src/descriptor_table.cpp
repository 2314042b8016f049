#include "descriptor_table.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace svc::jsruntime {

namespace {

pid_t callingThread() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

}  // namespace

void DescriptorTable::set(int descriptor, Holder holder) {
  struct stat facts {};
  if (holder == Holder::kHandle) {
    ::fstat(descriptor, &facts);
  }
  const std::lock_guard lock(mutex_);
  forget(descriptor);
  entries_.emplace(descriptor, Entry{holder, callingThread(), facts.st_dev, facts.st_ino});
}

void DescriptorTable::remove(int descriptor) {
  const std::lock_guard lock(mutex_);
  forget(descriptor);
}

void DescriptorTable::removeClosed(int descriptor) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(descriptor);
  if (found != entries_.end() && !isStillOpen(descriptor, found->second)) {
    forget(descriptor);
  }
}

DescriptorTable::Holder DescriptorTable::holderOf(int descriptor) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(descriptor);
  if (found == entries_.end()) {
    return Holder::kNone;
  }
  if (found->second.thread == 0 && !isStillOpen(descriptor, found->second)) {
    forget(descriptor);
    return Holder::kNone;
  }
  return found->second.holder;
}

std::size_t DescriptorTable::count() {
  const std::lock_guard lock(mutex_);
  for (auto at = entries_.begin(); left_behind_ > 0 && at != entries_.end();) {
    const auto [descriptor, entry] = *at++;
    if (entry.thread == 0 && !isStillOpen(descriptor, entry)) {
      forget(descriptor);
    }
  }
  return entries_.size();
}

void DescriptorTable::openedSocket() {
  const std::lock_guard lock(mutex_);
  ++sockets_[callingThread()];
}

void DescriptorTable::closedSocket() {
  const std::lock_guard lock(mutex_);
  if (auto& count = sockets_[callingThread()]; count > 0) {
    --count;
  }
}

std::size_t DescriptorTable::sockets() {
  const std::lock_guard lock(mutex_);
  std::size_t sum = 0;
  for (const auto& [thread, count] : sockets_) {
    sum += count;
  }
  return sum;
}

void DescriptorTable::forget(int descriptor) {
  const auto found = entries_.find(descriptor);
  if (found != entries_.end()) {
    left_behind_ -= found->second.thread == 0 ? 1 : 0;
    entries_.erase(found);
  }
}

bool DescriptorTable::isStillOpen(int descriptor, const Entry& entry) {
  struct stat facts {};
  return entry.holder == Holder::kHandle && ::fstat(descriptor, &facts) == 0 &&
         facts.st_dev == entry.device && facts.st_ino == entry.inode;
}

void DescriptorTable::closeOfThisThread() {
  const auto thread = callingThread();
  const std::lock_guard lock(mutex_);
  sockets_.erase(thread);
  for (auto at = entries_.begin(); at != entries_.end();) {
    auto& [descriptor, entry] = *at++;
    if (entry.thread != thread) {
      continue;
    }
    if (isStillOpen(descriptor, entry)) {
      entry.thread = 0;
      ++left_behind_;
      continue;
    }
    if (entry.holder == Holder::kNumber) {
      ::close(descriptor);
    }
    forget(descriptor);
  }
}

void DescriptorTable::closeAll() {
  const std::lock_guard lock(mutex_);
  for (const auto& [descriptor, entry] : entries_) {
    if (entry.holder == Holder::kNumber) {
      ::close(descriptor);
    }
  }
  entries_.clear();
  left_behind_ = 0;
}

}  // namespace svc::jsruntime
