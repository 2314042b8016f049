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

Exchange::Exchange(Request request, std::weak_ptr<IAnswerSink> sink,
                   std::shared_ptr<AnswerQueue> queue, std::uint64_t sequence)
    : request_(std::move(request)),
      sink_(std::move(sink)),
      queue_(std::move(queue)),
      sequence_(sequence) {}

Exchange::~Exchange() {
  if (advance(Phase::kOpen, Phase::kDone)) {
    const Error error{errc::kInternal, "the request was dropped without an answer"};
    Response response;
    response.status = 500;
    response.body = common::errorEnvelope(error);
    send(Answer::Kind::kRespond, std::move(response));
  } else if (advance(Phase::kStreaming, Phase::kDone)) {
    send(Answer::Kind::kAbort, {});
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
    send(Answer::Kind::kRespond, std::move(response));
  }
}

void Exchange::begin(Response head) {
  if (advance(Phase::kOpen, Phase::kStreaming)) {
    send(Answer::Kind::kBegin, std::move(head));
  }
}

void Exchange::write(std::string piece) {
  if (phase_.load() == Phase::kStreaming) {
    send(Answer::Kind::kPiece, {}, std::move(piece));
  }
}

void Exchange::finish() {
  if (advance(Phase::kStreaming, Phase::kDone)) {
    send(Answer::Kind::kFinish, {});
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

void Exchange::send(Answer::Kind kind, Response response, std::string piece) {
  Answer answer{kind, sequence_, std::move(response), std::move(piece)};
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
