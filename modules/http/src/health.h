#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "svc/http/http.h"

#include "call_gate.h"

namespace svc::http {

/// Collects what modules say about themselves and answers `/readyz`. Thread-safe; answer() runs on the io thread.
class Health final : public IHealth {
 public:
  [[nodiscard]] Handle contribute(ReadyReport report) override;

  enum class Serving : bool { kNo, kYes };
  [[nodiscard]] Response answer(Serving serving) const;

 private:
  struct Entry {
    ReadyReport report;
    CallGate gate{};
  };
  using Entries = std::vector<std::shared_ptr<Entry>>;
  struct State {
    std::mutex mutex;
    Entries entries;
  };

  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace svc::http
