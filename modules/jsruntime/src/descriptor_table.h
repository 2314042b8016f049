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
    kNumber,  ///< whoever has the number closes it; closeOfThisThread() and closeAll() otherwise
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
  /// Its object is gone. That has closed it, or was moved to another thread with it, where it stays as it is.
  void removeClosed(int descriptor);
  [[nodiscard]] Holder holderOf(int descriptor);
  [[nodiscard]] std::size_t count();

  /// A socket or pipe of the calling thread, which its object closes: no number of it is known here.
  void openedSocket();
  void closedSocket();
  [[nodiscard]] std::size_t sockets();

  /// At the end of the calling thread: closes what it has opened by number. What its objects hold they close themselves, if they
  /// were not moved to another thread.
  void closeOfThisThread();
  void closeAll();

 private:
  struct Entry {
    Holder holder;
    pid_t thread;  ///< 0 once it has ended
    // Of a file that an object closes: another file under its number is not it.
    dev_t device;
    ino_t inode;
  };

  void forget(int descriptor);
  [[nodiscard]] static bool isStillOpen(int descriptor, const Entry& entry);

  std::mutex mutex_;
  std::map<pid_t, std::size_t> sockets_;  ///< by thread
  std::map<int, Entry> entries_;
  /// Of threads that have ended (thread 0); nobody says when those are closed.
  std::size_t left_behind_ = 0;
};

}  // namespace svc::jsruntime
