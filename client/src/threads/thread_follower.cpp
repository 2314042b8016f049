#include "threads/thread_follower.h"

#include <ostream>
#include <utility>

#include <fmt/format.h>

#include "exit_code.h"
#include "text.h"

namespace svc::client {
namespace {

using common::Json;
using std::chrono::milliseconds;
using Kind = ThreadNews::Kind;

constexpr const char* kDeleted = "the thread was deleted";

/// A request that takes longer counts as a lost connection.
constexpr milliseconds kAnswer{10'000};
/// Without a notice the server is asked all the same.
constexpr milliseconds kQuiet{15'000};
/// Until what has begun is shown as it is known, when nothing more is told of it.
constexpr milliseconds kHeld{300};
/// Between attempts to connect again, doubling; and how many there are (some two minutes).
constexpr milliseconds kFirstWait{250};
constexpr milliseconds kLongestWait{4'000};
constexpr int kAttempts = 34;
constexpr int kPage = 500;

}  // namespace

ThreadFollower::ThreadFollower(Context& context, std::string thread_id, ThreadView view)
    : context_(context),
      console_(context.console),
      thread_id_(std::move(thread_id)),
      printer_(context.console, view),
      live_(context.live_thread(thread_id_)) {}

std::string ThreadFollower::path(const std::string& rest) const {
  return "/api/v1/threads/" + percentEncode(thread_id_) + rest;
}

bool ThreadFollower::canAsk() const {
  return console_.in_terminal && !console_.json && !no_more_lines_;
}

bool ThreadFollower::tryConnect() {
  // The address anew: a server that was started again may have another.
  auto api = Api::open(context_.choice, context_.environment, context_.connector);
  if (!api || !live_->connect(api.value().address())) {
    return false;
  }
  api_.emplace(std::move(api).value());
  look_ = true;
  look_at_queue_ = waitsInQueue();
  return true;
}

bool ThreadFollower::connect() {
  auto wait = kFirstWait;
  for (int attempt = 1; !tryConnect(); ++attempt) {
    if (attempt == 1) {
      printer_.breakLine();
      console_.err << "svc: the connection to the server is lost; trying again\n" << std::flush;
    }
    if (attempt == kAttempts) {
      return false;
    }
    const auto news = live_->next(false, wait);
    wait = std::min(wait * 2, kLongestWait);
    if (news.kind == Kind::kInterrupted) {
      interrupted_ = true;
      return false;
    }
  }
  return true;
}

ThreadFollower::Step ThreadFollower::get(const std::string& rest, Json& envelope) {
  auto reply = api_->call({.method = "GET", .target = path(rest), .body = {}, .timeout = kAnswer});
  if (!reply) {
    return Step::kLost;
  }
  if (!reply.value().ok()) {
    // While a server starts or stops it may refuse everything.
    if (reply.value().code() == "unavailable" || reply.value().code() == "not_ready") {
      return Step::kLost;
    }
    printer_.breakLine();
    // Events of it have come before.
    const bool deleted = reply.value().code() == "not_found" && seq_ > 0;
    if (deleted && !console_.json) {
      console_.out << std::flush;
      console_.complain(kDeleted);
    } else {
      failure_ = reportFailure(console_, reply.value());
    }
    failure_ = deleted ? static_cast<int>(kExitFailure) : failure_;
    return Step::kFailed;
  }
  envelope = std::move(reply).value().json;
  return Step::kWent;
}

ThreadFollower::Step ThreadFollower::drain() {
  for (;;) {
    Json envelope;
    const auto step = get(fmt::format("/events?afterSeq={}&limit={}", seq_, kPage), envelope);
    if (step != Step::kWent) {
      return step;
    }
    const auto& events = envelope["events"].items();
    for (const auto& event : events) {
      take(event);
      if (status_) {
        return Step::kWent;
      }
    }
    if (events.size() < static_cast<std::size_t>(kPage)) {
      return Step::kWent;
    }
  }
}

void ThreadFollower::take(const Json& event) {
  const auto seq = event["seq"].asInteger();
  if (seq <= seq_) {
    return;
  }
  seq_ = seq;
  printer_.event(event);
  const std::string_view type = event["type"].asString();
  const auto& data = event["data"];
  if (type.starts_with("system/") && type.ends_with("/lifecycle")) {
    look_ = true;
  } else if (type == "client/turn/requested" && !begun_ && turn_.begins && turn_.begins(data)) {
    begun_ = true;
    request_id_ = data["requestId"].asString();
  } else if (type == "client/turn/rejected" && begun_ &&
             data["requestId"].asString() == request_id_) {
    status_ = "failed";
    deleted_ = data["reason"].asString() == std::string_view("thread-deleted");
  } else if (type == "turn/completed" && data["parentToolCallId"].isNull()) {
    if (begun_) {
      status_ = data["status"].asString();
      deleted_ = data["error"]["code"].asString() == std::string_view("thread-deleted");
    } else {
      failed_before_ = data["status"].asString() != "completed";
      look_at_queue_ = failed_before_;
    }
  }
}

ThreadFollower::Step ThreadFollower::lookAtQuestions() {
  if (console_.json) {
    look_ = false;
    return Step::kWent;
  }
  Json envelope;
  const auto step = get("/interactions", envelope);
  if (step != Step::kWent) {
    return step;
  }
  look_ = false;
  const auto& open = envelope["interactions"].items();
  const auto pending = [](const Json& each) { return each["status"].asString() == "pending"; };
  if (form_ && std::none_of(open.begin(), open.end(), [&](const Json& each) {
        return each["id"].asString() == form_->id() && pending(each);
      })) {
    console_.err << "It is answered, or no longer asked.\n" << std::flush;
    form_.reset();
  }
  for (const auto& each : open) {
    if (!form_ && pending(each) && !told_.contains(each["id"].asString())) {
      offer(each);
    }
  }
  return Step::kWent;
}

void ThreadFollower::offer(const Json& interaction) {
  InteractionForm form(interaction);
  told_.insert(form.id());
  printer_.breakLine();
  console_.out << std::flush;
  console_.err << form.description() << '\n';
  if (canAsk() && !form.ofPlugin()) {
    form_.emplace(std::move(form));
    return ask();
  }
  if (form.ofQuestions()) {
    console_.err << form.prompts() << '\n';
  }
  console_.err << fmt::format("hint: `svc thread answer {} {} {}` answers{}\n", oneLine(thread_id_),
                              oneLine(form.id()), form.example(),
                              form.ofPlugin() ? ", and so does the window (`svc open`)" : "")
               << std::flush;
}

void ThreadFollower::ask() { console_.err << form_->prompt() << ' ' << std::flush; }

ThreadFollower::Step ThreadFollower::answer(const std::string& line) {
  if (const auto taken = form_->take(line); !taken) {
    console_.err << oneLine(taken.error().message) << '\n';
    ask();
    return Step::kWent;
  }
  if (!form_->done()) {
    ask();
    return Step::kWent;
  }
  const auto form = *std::exchange(form_, std::nullopt);
  look_ = true;
  const auto reply =
      api_->call({.method = "POST",
                  .target = path("/interactions/" + percentEncode(form.id()) + "/" + form.route()),
                  .body = form.body().dump(),
                  .timeout = kAnswer});
  if (!reply) {
    // Whether it arrived is not known; when it is still asked after the connection is back, it is asked again.
    told_.erase(form.id());
    return Step::kLost;
  }
  if (!reply.value().ok()) {
    console_.complain(reply.value().message());
    if (reply.value().code() != "conflict") {
      told_.erase(form.id());
    }
  }
  return Step::kWent;
}

ThreadFollower::Step ThreadFollower::react(const ThreadNews& news) {
  // The thread and its queue are told of a failed turn one after the other. What is said of events is nothing new in the queue.
  look_at_queue_ =
      (failed_before_ && !begun_) || (waitsInQueue() && !news.metadata["throughSeq"].isInteger());
  switch (news.kind) {
    case Kind::kInterrupted:
      interrupted_ = true;
      return Step::kWent;
    case Kind::kLost:
      return Step::kLost;
    case Kind::kNoMoreLines:
      no_more_lines_ = true;
      if (form_) {
        console_.err << (form_->ofQuestions() ? '\n' + form_->prompts() : std::string())
                     << fmt::format("\nhint: `svc thread answer {} {} {}` answers\n",
                                    oneLine(thread_id_), oneLine(form_->id()), form_->example())
                     << std::flush;
        form_.reset();
      }
      return Step::kWent;
    case Kind::kLine:
      return form_ ? answer(news.line) : Step::kWent;
    case Kind::kNothing:
      if (printer_.holds()) {
        printer_.showHeld();
        return Step::kWent;
      }
      break;
    case Kind::kChanged:
      break;
  }
  const auto& through = news.metadata["throughSeq"];
  if (!through.isInteger() || through.asInteger() > seq_) {
    if (const auto step = drain(); step != Step::kWent) {
      return step;
    }
    look_ = look_ || news.kind == Kind::kNothing;
  }
  if (!news.metadata["hasPendingInteraction"].isNull()) {
    look_ = true;
  }
  if (!form_) {
    for (const auto& delta : news.metadata["deltas"].items()) {
      printer_.grown(delta);
    }
  }
  return Step::kWent;
}

int ThreadFollower::left() {
  printer_.breakLine();
  console_.out << std::flush;
  const auto thread = oneLine(thread_id_);
  console_.err << (waitsInQueue()
                       ? fmt::format("\nThe message goes on waiting. `svc thread queue list {0}` "
                                     "shows it, `svc thread follow {0}` comes back.\n",
                                     thread)
                       : fmt::format("\nThe turn goes on. `svc thread stop {0}` stops it, `svc "
                                     "thread follow {0}` comes back.\n",
                                     thread));
  return kExitInterrupted;
}

int ThreadFollower::ended() {
  console_.out << std::flush;
  if (*status_ == "completed") {
    return kExitOk;
  }
  if (!console_.json) {
    adviseRetry();
  }
  return kExitFailure;
}

void ThreadFollower::adviseRetry() {
  if (!deleted_) {
    const auto now =
        api_->call({.method = "GET", .target = path({}), .body = {}, .timeout = kAnswer});
    deleted_ = now && now.value().code() == "not_found";
    if (now && !now.value().json["thread"]["archivedAt"].isNull()) {
      console_.err << fmt::format(
          "hint: the thread is archived; `svc thread unarchive {0}`, then `svc thread retry {0}` "
          "tries it again\n",
          oneLine(thread_id_));
      return;
    }
  }
  if (deleted_) {
    return console_.complain(kDeleted);
  }
  console_.err << "hint: `svc thread retry " << oneLine(thread_id_) << "` tries it again\n";
}

int ThreadFollower::follow(FollowedTurn turn) {
  turn_ = std::move(turn);
  seq_ = turn_.after_seq;
  begun_ = !turn_.begins;
  bool connected = false;
  auto step = Step::kWent;
  while (!interrupted_ && !status_ && !failure_) {
    if (!connected || step == Step::kLost) {
      if (!connect()) {
        break;
      }
      connected = true;
      step = drain();
    } else if (look_) {
      step = lookAtQuestions();
    } else if (look_at_queue_) {
      step = lookAtQueue();
    } else {
      step = react(live_->next(form_.has_value(), printer_.holds() ? kHeld : kQuiet));
    }
  }
  if (status_) {
    return ended();
  }
  if (failure_) {
    return *failure_;
  }
  if (interrupted_) {
    return left();
  }
  return reportNoAnswer(console_, Error{errc::kUnavailable,
                                        "the server did not come back; the turn may go on there"});
}

}  // namespace svc::client
