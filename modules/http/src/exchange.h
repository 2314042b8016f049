#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "svc/http/http.h"

#include "body_budget.h"

namespace svc::http {

/// One step of an answer on its way to the connection.
struct Answer {
  enum class Kind : std::uint8_t { kRespond, kBegin, kPiece, kFinish, kAbort, kRead };

  Kind kind = Kind::kRespond;
  std::uint64_t sequence = 0;
  Response response{};
  std::string piece{};
  Completion<void> taken{};        ///< kPiece: fires when the next piece may come
  Completion<std::string> read{};  ///< kRead
};

/// Takes answers on the io thread.
class IAnswerSink {
 public:
  virtual ~IAnswerSink() = default;
  virtual void deliver(Answer answer) = 0;
};

/// Carries answers from any thread to the io thread, one wake-up for a burst. Thread-safe.
class AnswerQueue : public std::enable_shared_from_this<AnswerQueue> {
 public:
  explicit AnswerQueue(IReactor& reactor) : reactor_(reactor) {}

  void push(std::weak_ptr<IAnswerSink> sink, Answer answer);
  [[nodiscard]] bool onReactor() const { return reactor_.isCurrent(); }
  /// Runs the task on the io thread: at once when that is the caller's, never after close().
  void run(Task task);
  /// Later answers are dropped; the reactor is not touched any more.
  void close();

 private:
  struct Item {
    std::weak_ptr<IAnswerSink> sink;
    Answer answer;
  };
  void deliverAll();

  IReactor& reactor_;
  std::mutex mutex_;
  bool closed_ = false;
  std::vector<Item> items_;
  std::vector<Item> delivering_;  // io thread
};

/// The server's side of IExchange. Holds its connection weakly, so that the connection lives and dies on io.
class Exchange final : public IExchange {
 public:
  Exchange(Request request, BodyShare share, std::weak_ptr<IAnswerSink> sink,
           std::shared_ptr<AnswerQueue> queue, std::uint64_t sequence);
  ~Exchange() override;
  Exchange(const Exchange&) = delete;
  Exchange& operator=(const Exchange&) = delete;

  [[nodiscard]] Request& request() override { return request_; }
  [[nodiscard]] std::stop_token disconnected() const override;
  void respond(Response response) override;
  void begin(Response head) override;
  void write(std::string piece) override { write(std::move(piece), {}); }
  void write(std::string piece, Completion<void> taken) override;
  void finish() override;
  void abort() override;
  void read(Completion<std::string> done) override;

  /// io thread: the client is gone.
  void clientGone();

 private:
  enum class Phase : std::uint8_t { kOpen, kStreaming, kDone };

  [[nodiscard]] bool advance(Phase from, Phase to);
  void send(Answer answer);

  Request request_;
  // Until the request is answered and let go: its body waits in a plugin's queue, wherever it was moved.
  BodyShare share_;
  std::weak_ptr<IAnswerSink> sink_;
  std::shared_ptr<AnswerQueue> queue_;
  std::uint64_t sequence_;
  std::atomic<Phase> phase_{Phase::kOpen};
  // Once a step went through the queue, the next ones follow it there to keep their order.
  std::atomic<bool> queued_{false};
  mutable std::mutex mutex_;
  // Made on demand: most handlers never ask.
  mutable std::optional<std::stop_source> stop_;
  bool gone_ = false;
};

}  // namespace svc::http
