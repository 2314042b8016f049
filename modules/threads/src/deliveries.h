#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace svc::threads {

/// Turns on their way to their agent, from their acceptance until the agent has the prompt. A turn whose machine is away is tried again
/// until kHostWait is over. Lives where its owner does; one turn a thread.
class Deliveries {
 public:
  /// The turn is being brought (again).
  void begin(const std::string& thread_id, const std::string& request_id);
  [[nodiscard]] bool has(const std::string& thread_id, const std::string& request_id) const;
  /// Its machine is away. False when it has been for kHostWait: then it waits no longer.
  [[nodiscard]] bool wait(const std::string& thread_id, const std::string& request_id,
                          std::int64_t now);
  /// Its machine is at work: when it is lost after that, it is waited for anew.
  void heard(const std::string& thread_id);
  /// Its agent has ended by itself before it had the turn, which goes to another one: once, because that may end as well.
  [[nodiscard]] bool mayGoOn(const std::string& thread_id, const std::string& request_id);
  /// There is no room for its agent: it is tried again for as long as it takes.
  void hold(const std::string& thread_id, const std::string& request_id);
  /// The agent has it, or the turn is over.
  void end(const std::string& thread_id, const std::string& request_id);

  struct Waiting {
    std::string thread_id;
    std::string request_id;
    bool for_room = false;
  };
  /// Those to be tried now.
  [[nodiscard]] std::vector<Waiting> waiting() const;

 private:
  struct Delivery {
    std::string request_id{};
    std::int64_t until = 0;  ///< 0 = its machine was not away yet
    bool waits = false;
    bool held = false;
    bool bereft = false;  ///< an agent has ended that was to have it
  };
  std::map<std::string, Delivery> by_thread_;
};

}  // namespace svc::threads
