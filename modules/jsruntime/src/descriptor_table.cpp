#include "descriptor_table.h"

#include <sys/syscall.h>
#include <unistd.h>

namespace svc::jsruntime {

namespace {

pid_t thisThread() { return static_cast<pid_t>(::syscall(SYS_gettid)); }

}  // namespace

void DescriptorTable::set(int descriptor, Holder holder) {
  const std::lock_guard lock(mutex_);
  entries_.insert_or_assign(descriptor, Entry{holder, thisThread()});
}

void DescriptorTable::remove(int descriptor) {
  const std::lock_guard lock(mutex_);
  entries_.erase(descriptor);
}

DescriptorTable::Holder DescriptorTable::holderOf(int descriptor) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(descriptor);
  return found == entries_.end() ? Holder::kNone : found->second.holder;
}

std::size_t DescriptorTable::count() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

void DescriptorTable::closeOfThisThread() { closeOf(thisThread()); }

void DescriptorTable::closeAll() { closeOf(0); }

void DescriptorTable::closeOf(pid_t thread) {
  const std::lock_guard lock(mutex_);
  for (auto at = entries_.begin(); at != entries_.end();) {
    if (thread != 0 && at->second.thread != thread) {
      ++at;
      continue;
    }
    if (at->second.holder == Holder::kNumber) {
      ::close(at->first);
    }
    at = entries_.erase(at);
  }
}

}  // namespace svc::jsruntime
