// Modes, models and other options of a session.
#include <algorithm>
#include <memory>
#include <utility>

#include <fmt/format.h>

#include "svc/common/codes.h"
#include "svc/hostprotocol/agent_limits.h"

#include "agent_bounds.h"
#include "bounded_text.h"
#include "session.h"

namespace svc::agentd {

using common::Json;

namespace {

/// The values of a select option, which may be grouped.
std::vector<std::string> valuesOf(const Json& option) {
  std::vector<std::string> values;
  for (const auto& each : option["options"].items()) {
    if (each["options"].isArray()) {
      for (const auto& inner : each["options"].items()) {
        values.push_back(inner["value"].asString());
      }
    } else {
      values.push_back(each["value"].asString());
    }
  }
  return values;
}

std::string listed(const std::vector<std::string>& values) {
  std::string text;
  for (const auto& value : values) {
    text += (text.empty() ? "\"" : ", \"") + value + "\"";
  }
  return text.empty() ? "none" : text;
}

/// The value that is meant; "#agent" means the one that ends so, for agents whose modes are addresses. Empty when there is none.
std::string meant(const std::vector<std::string>& values, const std::string& value) {
  const auto found = std::find_if(values.begin(), values.end(), [&value](const auto& each) {
    return each == value || (value.starts_with('#') && each.ends_with(value));
  });
  return found == values.end() ? std::string() : *found;
}

/// The category of an option in words.
std::string_view wordsOf(std::string_view category) {
  return category == "thought_level" ? "reasoning level" : category;
}

std::string textOf(const Json& value) { return value.isString() ? value.asString() : value.dump(); }

/// All that is refused is told; the code is that of the first.
void add(Status& refused, Error error) {
  if (!refused) {
    error = Error{refused.error().code, refused.error().message + ". " + error.message};
  }
  refused = std::move(error);
}

}  // namespace

std::string Session::goesOn(const Json& option) const {
  const auto& value = option.isObject() ? option["currentValue"] : mode_list_["currentModeId"];
  return value.isNull() ? std::string() : fmt::format("; it goes on with \"{}\"", textOf(value));
}

const Json& Session::optionOf(const Wish& wish) const {
  static const Json kNone;
  for (const auto& option : config_options_.items()) {
    if (wish.mode_id.empty() && option["id"] == wish.params["configId"]) {
      return option;
    }
  }
  return kNone;
}

void Session::takeChoices(const Json& from) {
  if (from["modes"].isObject()) {
    takeList(mode_list_, from["modes"], "modes");
  }
  if (from["configOptions"].isArray()) {
    takeList(config_options_, from["configOptions"], "options");
  }
}

void Session::takeList(Json& into, const Json& list, std::string_view what) {
  const auto size = list.dump().size();
  if (size <= limits::kAgentList) {
    into = list;
  } else if (left_out_.emplace(what).second) {
    warn(fmt::format("The agent's list of its {} is too long and is left out", what),
         fmt::format("it has {} bytes (limit agentList: {})", size, limits::kAgentList));
  }
}

/// An option of this category, else, for modes, the older list of them.
Status Session::wish(std::deque<Wish>& wishes, std::string_view category,
                     const std::string& value) const {
  std::vector<std::string> known;
  Json asked;
  const auto what = fmt::format("{} \"{}\"", wordsOf(category), value);
  for (const auto& option : config_options_.items()) {
    if (option["category"].asString() != category) {
      continue;
    }
    asked = option;
    known = valuesOf(option);
    if (const auto id = meant(known, value); !id.empty()) {
      if (option["currentValue"].asString() != id) {
        wishes.push_back({"session/set_config_option",
                          Json::object()
                              .set("sessionId", provider_thread_id_)
                              .set("configId", option["id"])
                              .set("value", id),
                          what});
      }
      return {};
    }
  }
  if (category == "mode" && known.empty()) {
    for (const auto& mode : mode_list_["availableModes"].items()) {
      known.push_back(mode["id"].asString());
    }
    if (const auto id = meant(known, value); !id.empty()) {
      if (mode_list_["currentModeId"].asString() != id) {
        wishes.push_back({"session/set_mode",
                          Json::object().set("sessionId", provider_thread_id_).set("modeId", id),
                          what, id});
      }
      return {};
    }
  }
  return Error{errc::kNotSupported,
               fmt::format("the agent has no {}; it has {}{}", what, listed(known),
                           known.empty() ? std::string() : goesOn(asked))};
}

Status Session::wishes(const Choices& choices, std::deque<Wish>& into) const {
  Status refused;
  const auto want = [&](std::string_view category, const std::string& value) {
    if (auto status = value.empty() ? Status() : wish(into, category, value); !status) {
      add(refused, std::move(status).error());
    }
  };
  // Each agent has its own words for the ways to be asked, and some have none: then it asks as it does.
  const auto& mode = choices.mode.empty() ? modes_.of(choices.approval) : choices.mode;
  want("mode", mode);
  want("model", choices.model);
  want("thought_level", choices.reasoning);
  if (!choices.option_id.empty()) {
    auto params = Json::object()
                      .set("sessionId", provider_thread_id_)
                      .set("configId", choices.option_id)
                      .set("value", choices.option_value);
    if (choices.option_value.isBool()) {
      params.set("type", "boolean");
    }
    into.push_back({"session/set_config_option", std::move(params),
                    fmt::format("{} \"{}\"", choices.option_id, textOf(choices.option_value))});
  }
  return refused;
}

/// What the agent has of it; what it has not is the error.
void Session::apply(const Choices& choices, Completion<void> done) {
  auto course = std::make_shared<Applying>();
  course->refused = wishes(choices, course->wishes);
  course->done = std::move(done);
  applyNext(course);
}

void Session::applyNext(const std::shared_ptr<Applying>& course) {
  if (course->wishes.empty() || closing_ || over()) {
    course->done(course->refused);
    return;
  }
  auto next = std::move(course->wishes.front());
  course->wishes.pop_front();
  const auto method = next.method;
  const auto params = next.params;
  ask(method, params, limits::kAgentSet,
      [weak = weak_from_this(), course, next = std::move(next)](const AcpMessage& answer) {
        if (const auto self = weak.lock()) {
          self->onApplied(course, next, answer);
        }
      });
}

void Session::onApplied(const std::shared_ptr<Applying>& course, const Wish& wish,
                        const AcpMessage& answer) {
  if (answer.failure) {
    add(course->refused,
        Error{errc::kUnavailable,
              fmt::format("the agent refused the {}: {}{}", wish.what,
                          clipped(failureText(*answer.failure)), goesOn(optionOf(wish)))});
  } else if (!wish.mode_id.empty() && mode_list_.isObject()) {
    mode_list_.set("currentModeId", wish.mode_id);
  } else {
    takeChoices(answer.result);
    if (const auto& option = optionOf(wish); answer.result["configOptions"].isArray() &&
                                             option.isObject() &&
                                             option["currentValue"] != wish.params["value"]) {
      add(course->refused, Error{errc::kUnavailable, fmt::format("the agent did not take the {}{}",
                                                                 wish.what, goesOn(option))});
    }
  }
  applyNext(course);
}

void Session::set(const Choices& choices, Completion<Json> done) {
  if (state_ != SessionState::kIdle && state_ != SessionState::kRunning) {
    done(Error{errc::kConflict, fmt::format("the session is {}", name(state_))});
    return;
  }
  apply(choices, [self = shared_from_this(), done = std::move(done)](Status status) mutable {
    self->tellChanged();
    if (status) {
      done(self->describe());
    } else {
      done(std::move(status).error());
    }
  });
}

}  // namespace svc::agentd
