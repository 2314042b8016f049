#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "svc/base/fd.h"

namespace svc::threads {

/// What the texts of open items have got, for a server that is killed: one file for each thread, a line for each piece, which is
/// written before anybody sees it. Nothing waits for the disk, so a machine that loses its power may lose the last seconds. A
/// thread whose file cannot be written goes on without. Thread-safe; everything blocks.
class LiveJournal {
 public:
  struct Piece {
    std::string item_id{};
    std::string field{};
    std::int64_t offset = 0;  ///< of the text in the item's; 0 = the text begins (anew)
    std::string text{};
  };

  /// `directory` is made when it is needed.
  explicit LiveJournal(std::filesystem::path directory) : directory_(std::move(directory)) {}

  void append(const std::string& thread_id, const Piece& piece);
  /// True when most of the file may be of items that have ended: rewrite() makes it short.
  [[nodiscard]] bool isLong(const std::string& thread_id) const;
  /// These pieces instead of all others.
  void rewrite(const std::string& thread_id, const std::vector<Piece>& pieces);
  void remove(const std::string& thread_id);

  /// What an earlier process has left, in its order. A line that is not whole ends its file.
  void read(const std::function<void(const std::string& thread_id, Piece piece)>& each) const;

 private:
  struct File {
    base::Fd descriptor{};
    std::size_t bytes = 0;
    std::size_t kept = 0;  ///< of the last rewrite
    bool failed = false;
  };

  [[nodiscard]] std::filesystem::path pathOf(const std::string& thread_id) const;
  void open(const std::string& thread_id, File& file) const;
  static void write(File& file, const Piece& piece);

  const std::filesystem::path directory_;
  mutable std::mutex mutex_;
  std::map<std::string, File, std::less<>> files_;
};

}  // namespace svc::threads
