#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>

namespace svc::jsruntime {

/// The numbers of the files that the threads of one environment have open. A number that is not in here belongs to
/// another part of the process, or to nobody. Thread-safe.
class DescriptorTable {
 public:
  enum class Holder : std::uint8_t {
    kNone,    ///< not of this environment
    kNumber,  ///< whoever has the number closes it; closeOf() and closeAll() otherwise
    kHandle,  ///< an object of Node closes it
  };

  DescriptorTable() = default;
  DescriptorTable(const DescriptorTable&) = delete;
  DescriptorTable& operator=(const DescriptorTable&) = delete;
  ~DescriptorTable() { closeAll(); }

  /// Opened by the calling thread, or held by another from now on.
  void set(int descriptor, Holder holder);
  /// About to be closed.
  void remove(int descriptor);
  [[nodiscard]] Holder holderOf(int descriptor) const;
  [[nodiscard]] std::size_t count() const;

  /// Closes what the calling thread has opened by number.
  void closeOfThisThread();
  void closeAll();

 private:
  struct Entry {
    Holder holder;
    pid_t thread;
  };

  /// `thread` 0: those of all.
  void closeOf(pid_t thread);

  mutable std::mutex mutex_;
  std::map<int, Entry> entries_;
};

}  // namespace svc::jsruntime
