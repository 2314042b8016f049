#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

#include "svc/http/http.h"

#include "body_budget.h"

namespace svc::http {

struct ServerContext;

/// A request of this process: what a handler answers becomes one Response. Thread-safe.
class InProcessExchange final : public IExchange {
 public:
  /// `limit`: bytes of an answer in pieces.
  InProcessExchange(Request request, std::stop_token stop, std::size_t limit,
                    Completion<Response> done);
  ~InProcessExchange() override;
  InProcessExchange(const InProcessExchange&) = delete;
  InProcessExchange& operator=(const InProcessExchange&) = delete;

  [[nodiscard]] Request& request() override { return request_; }
  [[nodiscard]] std::stop_token disconnected() const override { return stop_; }
  void respond(Response response) override;
  void begin(Response head) override;
  void write(std::string piece) override { write(std::move(piece), {}); }
  void write(std::string piece, Completion<void> taken) override;
  void finish() override;
  void abort() override;
  /// The whole body is there: the first read has it, the next ones are the end. Fires at once.
  void read(Completion<std::string> done) override;

  void hold(BodyShare share) { share_ = std::move(share); }

 private:
  [[nodiscard]] Completion<Response> takeDone();

  Request request_;
  BodyShare share_;
  std::stop_token stop_;
  std::size_t limit_;
  std::mutex mutex_;
  Completion<Response> done_;
  std::optional<Response> collected_;
  bool body_read_ = false;
};

/// Finds the route of the exchange's request and calls its handler. io thread.
void answerInProcess(ServerContext& context, std::shared_ptr<InProcessExchange> exchange);

}  // namespace svc::http
