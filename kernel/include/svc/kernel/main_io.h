#pragma once

#include "svc/kernel/service_id.h"

namespace boost::asio {
class io_context;
}  // namespace boost::asio

namespace svc {

/// Sockets, pipes and timers of Asio that live on the main thread, for programs in which what they bring is for that thread
/// anyway: an answer then takes no turn of another one. Provided by the kernel. Main thread.
class IMainIo {
 public:
  static constexpr ServiceId kId{"svc.kernel.MainIo", 1};
  virtual ~IMainIo() = default;
  /// Outlives the modules. From the first call on the main thread waits in it; its handlers run there in turns with tasks, and must
  /// be as short. Never run or stop it. A module ends what it has there before it stops.
  [[nodiscard]] virtual boost::asio::io_context& context() = 0;
};

}  // namespace svc
