#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "svc/common/json.h"
#include "svc/common/surrogates.h"

#include "live_journal.h"

namespace svc::threads {

/// Text that an open item has got.
struct Delta {
  std::string item_id{};
  std::string field{};      ///< "text", "output" or "reasoning"
  std::int64_t offset = 0;  ///< UTF-16 units of the field since the item's start
  std::string text{};
};

/// The item with this text as the member that streams.
[[nodiscard]] common::Json withText(common::Json item, const std::string& text);

using common::utf16Length;

/// The texts of open items, which the log does not have before they end. Thread-safe, quick. A text stops where it would become longer than
/// lim.itemText, or its thread's texts together longer than kLiveBytes; the whole text comes with the item's end. With a journal
/// everything but of() blocks.
class LiveTexts {
 public:
  /// Called with each new piece, without locks, in the order of one thread's pieces when they are fed by one thread at a time.
  using Sink = std::function<void(const std::string& thread_id, const Delta& delta)>;
  /// With a `journal`, which outlives this, what was shown is there after a kill of the process, too.
  explicit LiveTexts(Sink grown, LiveJournal* journal = nullptr)
      : grown_(std::move(grown)), journal_(journal) {}

  /// The texts of the process before this one. Once, before anything grows. What is of no thread that `exists` goes.
  void recover(const std::function<bool(const std::string& thread_id)>& exists);

  /// `item/started` (again, too) or `item/completed` that is in the log.
  void logged(const std::string& thread_id, const std::string& type, const common::Json& data);
  /// `item/delta`. What overlaps is taken once; after a gap the text is followed no more.
  void grow(const std::string& thread_id, const common::Json& data);
  /// Nothing of the thread is open (any more).
  void forget(const std::string& thread_id);

  struct Text {
    std::string field{};
    std::string text{};
    std::int64_t length = 0;
    bool stopped = false;  ///< no more is taken
  };
  using Texts = std::map<std::string, Text, std::less<>>;  ///< by item
  [[nodiscard]] Texts of(const std::string& thread_id) const;

 private:
  struct OfThread {
    Texts texts{};
    std::size_t bytes = 0;
  };

  static void drop(OfThread& thread, const std::string& item_id);

  void keep(const std::string& thread_id, LiveJournal::Piece piece);
  void shorten(const std::string& thread_id);
  /// False when its item has ended meanwhile.
  bool take(const std::string& thread_id, const Delta& delta);

  const Sink grown_;
  LiveJournal* const journal_;
  mutable std::mutex mutex_;
  std::map<std::string, OfThread, std::less<>> threads_;
};

}  // namespace svc::threads
