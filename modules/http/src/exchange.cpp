#include "exchange.h"

#include "svc/common/envelope.h"

namespace svc::http {

void AnswerQueue::push(std::weak_ptr<IAnswerSink> sink, Answer answer) {
  const std::scoped_lock lock(mutex_);
  if (closed_) {
    return;
  }
  items_.push_back({std::move(sink), std::move(answer)});
  if (items_.size() == 1) {
    reactor_.post([self = shared_from_this()] { self->deliverAll(); });
  }
}

void AnswerQueue::run(Task task) {
  if (onReactor()) {
    task();
    return;
  }
  const std::scoped_lock lock(mutex_);
  if (!closed_) {
    reactor_.post(std::move(task));
  }
}

void AnswerQueue::close() {
  std::vector<Item> dropped;
  const std::scoped_lock lock(mutex_);
  closed_ = true;
  dropped.swap(items_);
}

void AnswerQueue::deliverAll() {
  {
    const std::scoped_lock lock(mutex_);
    delivering_.swap(items_);
  }
  for (auto& item : delivering_) {
    if (const auto sink = item.sink.lock()) {
      sink->deliver(std::move(item.answer));
    }
  }
  delivering_.clear();
}

Exchange::Exchange(Request request, BodyShare share, std::weak_ptr<IAnswerSink> sink,
                   std::shared_ptr<AnswerQueue> queue, std::uint64_t sequence)
    : request_(std::move(request)),
      share_(std::move(share)),
      sink_(std::move(sink)),
      queue_(std::move(queue)),
      sequence_(sequence) {}

Exchange::~Exchange() {
  if (advance(Phase::kOpen, Phase::kDone)) {
    const Error error{errc::kInternal, "the request was dropped without an answer"};
    Response response;
    response.status = 500;
    response.body = common::errorEnvelope(error);
    send({.kind = Answer::Kind::kRespond, .response = std::move(response)});
  } else {
    abort();
  }
}

std::stop_token Exchange::disconnected() const {
  const std::scoped_lock lock(mutex_);
  if (!stop_) {
    stop_.emplace();
    if (gone_) {
      stop_->request_stop();  // nobody has registered a callback yet
    }
  }
  return stop_->get_token();
}

void Exchange::respond(Response response) {
  if (advance(Phase::kOpen, Phase::kDone)) {
    send({.kind = Answer::Kind::kRespond, .response = std::move(response)});
  }
}

void Exchange::begin(Response head) {
  if (advance(Phase::kOpen, Phase::kStreaming)) {
    send({.kind = Answer::Kind::kBegin, .response = std::move(head)});
  }
}

void Exchange::write(std::string piece, Completion<void> taken) {
  if (phase_.load() == Phase::kStreaming) {
    send({.kind = Answer::Kind::kPiece, .piece = std::move(piece), .taken = std::move(taken)});
  }
}

void Exchange::finish() {
  if (advance(Phase::kStreaming, Phase::kDone)) {
    send({.kind = Answer::Kind::kFinish});
  }
}

void Exchange::abort() {
  if (advance(Phase::kOpen, Phase::kDone) || advance(Phase::kStreaming, Phase::kDone)) {
    send({.kind = Answer::Kind::kAbort});
  }
}

void Exchange::read(Completion<std::string> done) {
  if (phase_.load() != Phase::kDone) {
    send({.kind = Answer::Kind::kRead, .read = std::move(done)});
  }
}

void Exchange::clientGone() {
  std::optional<std::stop_source> stop;
  {
    const std::scoped_lock lock(mutex_);
    gone_ = true;
    stop = stop_;
  }
  if (stop) {
    stop->request_stop();
  }
}

bool Exchange::advance(Phase from, Phase to) { return phase_.compare_exchange_strong(from, to); }

void Exchange::send(Answer answer) {
  answer.sequence = sequence_;
  if (!queued_.load(std::memory_order_relaxed) && queue_->onReactor()) {
    if (const auto sink = sink_.lock()) {
      sink->deliver(std::move(answer));
    }
    return;
  }
  queued_.store(true, std::memory_order_relaxed);
  queue_->push(sink_, std::move(answer));
}

}  // namespace svc::http
