#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

#include "svc/http/http_stats.h"

#include "body_budget.h"

namespace svc::http {

/// Counted on the io thread, read on any.
class HttpCounters final : public IHttpStats {
 public:
  explicit HttpCounters(std::shared_ptr<const BodyBudget> bodies) : bodies_(std::move(bodies)) {}

  void answered(unsigned status) {
    const std::size_t kind = status / 100 - 1;
    if (kind < answers_.size()) {
      answers_[kind].fetch_add(1, std::memory_order_relaxed);
    }
  }
  void accepted() { accepted_.fetch_add(1, std::memory_order_relaxed); }
  void setOpen(std::size_t connections, std::size_t web_sockets) {
    connections_.store(connections, std::memory_order_relaxed);
    web_sockets_.store(web_sockets, std::memory_order_relaxed);
  }

  [[nodiscard]] HttpStats stats() const override {
    HttpStats out;
    for (std::size_t kind = 0; kind < answers_.size(); ++kind) {
      out.answers[kind] = answers_[kind].load(std::memory_order_relaxed);
    }
    out.connections_accepted = accepted_.load(std::memory_order_relaxed);
    out.connections_open = connections_.load(std::memory_order_relaxed);
    out.web_sockets_open = web_sockets_.load(std::memory_order_relaxed);
    const auto bodies = bodies_->usage();
    out.body_bytes = bodies.bytes;
    out.bodies_refused = bodies.refused;
    out.plugin_body_bytes.assign(bodies.plugins.begin(), bodies.plugins.end());
    return out;
  }

 private:
  const std::shared_ptr<const BodyBudget> bodies_;
  std::array<std::atomic<std::uint64_t>, 5> answers_{};
  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::size_t> connections_{0};
  std::atomic<std::size_t> web_sockets_{0};
};

}  // namespace svc::http
