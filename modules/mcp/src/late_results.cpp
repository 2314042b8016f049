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

Handle LateResults::onLateResult(Listener listener) {
  auto held = std::make_shared<Listener>(std::move(listener));
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

void LateResults::tell(const std::string& thread_id, const std::string& tool,
                       const Result<Answer>& answer) {
  const auto held = listener();
  if (!held) {
    return;
  }
  LateResult late{.thread_id = thread_id, .tool = tool};
  if (answer) {
    const auto result = Json::parse(answer.value().result.text());
    late.text = result ? textOfResult(result.value()) : std::string();
    late.failed = answer.value().failed;
  } else {
    late.text = answer.error().message;
    late.failed = true;
  }
  (*held)(std::move(late));
}

}  // namespace svc::mcp
