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
/// lim.itemText, or its thread's texts together longer than kLiveBytes; the whole text comes with the item's end.
class LiveTexts {
 public:
  /// Called with each new piece, without locks, in the order of one thread's pieces when they are fed by one thread at a time.
  using Sink = std::function<void(const std::string& thread_id, const Delta& delta)>;
  explicit LiveTexts(Sink grown) : grown_(std::move(grown)) {}

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

  const Sink grown_;
  mutable std::mutex mutex_;
  std::map<std::string, OfThread, std::less<>> threads_;
};

}  // namespace svc::threads
