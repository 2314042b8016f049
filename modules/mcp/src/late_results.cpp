#include "late_results.h"

#include <utility>

#include "svc/common/json.h"

namespace svc::mcp {
namespace {

using common::Json;

std::string textOfResult(const Json& result) {
  std::string out;
  for (const auto& part : result["content"].items()) {
    const bool text = part["type"].asString() == "text";
    out += out.empty() ? "" : "\n";
    out += text ? part["text"].asString() : "(" + part["type"].asString() + ")";
  }
  return out;
}

}  // namespace

Handle LateResults::onLateResult(Begun begun, Ended ended) {
  auto held = std::make_shared<Listener>(Listener{std::move(begun), std::move(ended)});
  const std::scoped_lock lock(mutex_);
  listener_ = held;
  return Handle([weak = weak_from_this(), held] {
    if (const auto self = weak.lock()) {
      const std::scoped_lock ending(self->mutex_);
      if (self->listener_ == held) {
        self->listener_.reset();
      }
    }
  });
}

std::shared_ptr<LateResults::Listener> LateResults::listener() const {
  const std::scoped_lock lock(mutex_);
  return listener_;
}

bool LateResults::areDelivered() const { return listener() != nullptr; }

void LateResults::begin(const LateCall& call) {
  if (const auto held = listener()) {
    held->begun(call);
  }
}

void LateResults::drop(const LateCall& call) {
  if (const auto held = listener()) {
    held->ended(
        {.call_id = call.id, .thread_id = call.thread_id, .tool = call.tool, .dropped = true});
  }
}

void LateResults::tell(const LateCall& call, const Result<Answer>& answer) {
  const auto held = listener();
  if (!held) {
    return;
  }
  LateResult late{.call_id = call.id, .thread_id = call.thread_id, .tool = call.tool};
  if (answer) {
    const auto result = Json::parse(answer.value().result.text());
    late.text = result ? textOfResult(result.value()) : std::string();
    late.failed = answer.value().failed;
  } else {
    late.text = answer.error().message;
    late.failed = true;
  }
  held->ended(std::move(late));
}

}  // namespace svc::mcp
