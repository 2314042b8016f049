#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "svc/kernel/executor.h"
#include "svc/kernel/service_id.h"

namespace svc::realtime {

/// Which windows a change is sent to. Listeners hear of all of them.
enum class Audience : std::uint8_t {
  kAll,     ///< those that follow the list, and those that follow the record
  kList,    ///< those that follow the list
  kDetail,  ///< those that follow the record
  kNobody,  ///< no window
};

/// That a record, or a list, is another one now.
struct Change {
  std::string entity;              ///< "thread", "host", "system", …
  std::string id{};                ///< empty = the list as a whole
  std::vector<std::string> kinds;  ///< the `changes` of the message, for example "title-changed"
  /// What a window need not fetch then: text of a JSON object, or empty for none. It is sent as it is.
  std::string metadata{};
  Audience audience = Audience::kAll;
};

/// Tells open windows that a record changed. Thread-safe and quick; nothing is stored or replayed.
class IRealtimeHub {
 public:
  static constexpr ServiceId kId{"svc.realtime.Hub", 1};
  virtual ~IRealtimeHub() = default;
  /// Sends `changed {entity, id?, changes, metadata?}` to the sockets subscribed to `<entity>-list` ("system" for the
  /// entity "system") or to `<entity>-detail` with this id.
  virtual void changed(Change change) = 0;
  /// Whether a window follows this very record: what only such windows get need not be made for the others.
  [[nodiscard]] virtual bool isFollowed(const std::string& entity, const std::string& id) const = 0;
  /// Sends the text of a JSON object to every window, whatever it follows; how many there are.
  virtual std::size_t toEveryWindow(std::string message) = 0;

  /// Called with every change that is handed in, on the thread that does it, window or not. Quick.
  using ChangeListener = std::function<void(const Change& change)>;
  [[nodiscard]] virtual Handle onChanged(ChangeListener listener) = 0;
};

}  // namespace svc::realtime
