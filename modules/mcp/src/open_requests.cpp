#include "open_requests.h"

#include <algorithm>
#include <chrono>
#include <utility>
#include <vector>

#include "svc/common/codes.h"
#include "svc/common/limits/mcp.h"

#include "open_request.h"

namespace svc::mcp {
namespace {

/// How late a sign of life may be.
constexpr std::chrono::seconds kTick{1};
/// How long a cancellation waits for its request, and how many do.
constexpr std::chrono::seconds kEarlyWait{10};
constexpr std::size_t kEarly = 256;

std::string keyOf(const std::string& session, std::string_view id) {
  return (session + '\n').append(id);
}

}  // namespace

bool OpenRequests::full() const { return requests_.size() >= limits::kMcpCalls; }

bool OpenRequests::add(const std::shared_ptr<OpenRequest>& request) {
  if (!request->session().empty()) {
    const auto key = keyOf(request->session(), request->id());
    if (wasCancelled(key)) {
      return false;
    }
    by_id_[key] = request.get();
  }
  requests_.insert(request);
  surroundings_.counters->open_calls = requests_.size();
  if (!std::exchange(armed_, true)) {
    arm();
  }
  return true;
}

bool OpenRequests::wasCancelled(const std::string& key) {
  const auto found = std::find_if(early_.begin(), early_.end(),
                                  [&key](const Early& early) { return early.key == key; });
  if (found == early_.end()) {
    return false;
  }
  const bool waits = surroundings_.clock.steadyNow() < found->until;
  early_.erase(found);
  return waits;
}

void OpenRequests::remove(const std::shared_ptr<OpenRequest>& request) {
  const auto named = by_id_.find(keyOf(request->session(), request->id()));
  if (named != by_id_.end() && named->second == request.get()) {
    by_id_.erase(named);
  }
  // Questions that are let go answer `aborted`, which may ask again.
  std::vector<Question> unanswered;
  for (auto question = questions_.begin(); question != questions_.end();) {
    const auto next = std::next(question);
    if (question->second.asking == request.get()) {
      unanswered.push_back(std::move(question->second));
      questions_.erase(question);
    }
    question = next;
  }
  requests_.erase(request);
  surroundings_.counters->open_calls = requests_.size();
}

void OpenRequests::cancel(const std::string& session, std::string_view id) {
  if (session.empty()) {
    return;  // ids of clients without one may be anybody's
  }
  auto key = keyOf(session, id);
  if (const auto found = by_id_.find(key); found != by_id_.end()) {
    // One that goes on without its client has been answered: some clients cancel all that they have sent when their turn ends.
    if (!found->second->isDetached()) {
      found->second->cancel();
    }
    return;
  }
  early_.push_back({std::move(key), surroundings_.clock.steadyNow() + kEarlyWait});
  if (early_.size() > kEarly) {
    early_.pop_front();
  }
}

std::string OpenRequests::ask(const OpenRequest& asking, Completion<common::RawJson> done) {
  auto id = common::jsonString("svc-" + surroundings_.random());
  questions_.emplace(id, Question{&asking, std::move(done)});
  return id;
}

void OpenRequests::answered(const Message& response) {
  const auto found = questions_.find(response.id);
  if (found == questions_.end()) {
    return;
  }
  auto done = std::move(found->second.done);
  questions_.erase(found);
  if (!response.error.empty()) {
    const auto error = common::Json::parse(response.error);
    done(Error{errc::kHandlerError,
               "the client refuses: " +
                   (error ? error.value()["message"].asString() : std::string("unknown"))});
    return;
  }
  done(common::RawJson(response.result));
}

void OpenRequests::revoke(const TokenPtr& token) {
  const auto all = requests_;
  for (const auto& request : all) {
    if (request->token() == token) {
      request->revoke();
    }
  }
}

void OpenRequests::abort(const TokenPtr& token, bool all) {
  const auto requests = requests_;
  for (const auto& request : requests) {
    if (request->token() == token && (all || !request->isDetached())) {
      request->abort();
    }
  }
}

void OpenRequests::stopAll() {
  const auto all = requests_;
  for (const auto& request : all) {
    request->giveUp();
  }
}

void OpenRequests::arm() {
  timer_ = surroundings_.reactor.after(kTick, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) {
      self->tick();
    }
  });
}

void OpenRequests::tick() {
  const auto now = surroundings_.clock.steadyNow();
  const auto all = requests_;
  for (const auto& request : all) {
    request->tick(now);
  }
  armed_ = !requests_.empty();
  if (armed_) {
    arm();
  }
}

}  // namespace svc::mcp
