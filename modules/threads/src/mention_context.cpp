#include "mention_context.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "svc/common/codes.h"

#include "thread_limits.h"

namespace svc::threads {

using common::Json;

namespace {

struct PluginMention {
  std::string plugin_id{};
  std::string item_id{};  ///< `<provider>:<item>`
  std::string label{};
};

bool isPlugins(const Json& mention) { return mention["resource"]["kind"].asString() == "plugin"; }

/// Each item once, in the order of the text.
std::vector<PluginMention> mentionsOf(const Json& input) {
  std::vector<PluginMention> out;
  for (const auto& block : input.items()) {
    for (const auto& mention : block["mentions"].items()) {
      const auto& resource = mention["resource"];
      const auto same = [&resource](const PluginMention& known) {
        return known.plugin_id == resource["pluginId"].asString() &&
               known.item_id == resource["itemId"].asString();
      };
      if (isPlugins(mention) && std::none_of(out.begin(), out.end(), same)) {
        out.push_back({.plugin_id = resource["pluginId"].asString(),
                       .item_id = resource["itemId"].asString(),
                       .label = resource["label"].asString()});
      }
    }
  }
  return out;
}

Json forAgent(Json block) { return block.set("visibility", "agent-only"); }

Json text(std::string said) {
  return forAgent(Json::object().set("type", "text").set("text", std::move(said)));
}

/// One message whose mentions are asked for, all at once. Answers when the last one has; its members change on the io thread, or where
/// it was made while nobody else has it.
class Course {
 public:
  Course(Json input, std::vector<PluginMention> mentions, Completion<Json> done)
      : input_(std::move(input)),
        mentions_(std::move(mentions)),
        answers_(mentions_.size()),
        done_(std::move(done)) {}

  static void ask(const std::shared_ptr<Course>& course, agents::IMentionProviders& providers) {
    for (std::size_t at = 0; at < course->mentions_.size(); ++at) {
      const auto& mention = course->mentions_[at];
      const auto colon = mention.item_id.find(':');
      if (colon == std::string::npos || mention.plugin_id.empty()) {
        course->answered(at, Error{errc::kInvalidInput,
                                   "a mention of a plugin needs its pluginId, and "
                                   "\"<provider>:<item>\" as itemId"});
        continue;
      }
      providers.resolve(mention.plugin_id, mention.item_id.substr(0, colon),
                        mention.item_id.substr(colon + 1),
                        [course, at](Result<common::RawJson> resolved) {
                          course->answered(at, std::move(resolved));
                        });
    }
  }

 private:
  void answered(std::size_t at, Result<common::RawJson> resolved) {
    answers_[at] = std::move(resolved);
    if (++count_ == answers_.size()) {
      finish();
    }
  }

  void finish() {
    std::size_t bytes = 0;
    for (std::size_t at = 0; at < answers_.size(); ++at) {
      if (!*answers_[at]) {
        return done_(failed(mentions_[at], answers_[at]->error()));
      }
      const auto& raw = answers_[at]->value().text();
      bytes += raw.size();
      auto said = Json::parse(raw);
      if (!said || bytes > kInput) {
        return done_(failed(mentions_[at],
                            {errc::kHandlerError,
                             fmt::format("the contexts of a message have {} bytes together, more "
                                         "than {}",
                                         bytes, kInput)}));
      }
      add(mentions_[at], said.value());
    }
    done_(std::move(input_));
  }

  void add(const PluginMention& mention, const Json& said) {
    input_.push(text(fmt::format("About \"{}\", which is mentioned above:\n{}", mention.label,
                                 said["context"].asString())));
    for (const auto& image : said["images"].items()) {
      if (const auto& context = image["context"].asString(); !context.empty()) {
        input_.push(text(context));
      }
      auto block = Json::object().set("type", image["type"]);
      const char* place = image["type"].asString() == "image" ? "url" : "path";
      input_.push(forAgent(std::move(block.set(place, image[place]))));
    }
  }

  static Error failed(const PluginMention& mention, const Error& error) {
    const auto provider = mention.item_id.substr(0, mention.item_id.find(':'));
    return {error.code,
            fmt::format("the message is not sent: the provider \"{}\" of the plugin \"{}\" does "
                        "not say what \"{}\" is: {}",
                        provider, mention.plugin_id, mention.label, error.message),
            error.details};
  }

  Json input_;
  const std::vector<PluginMention> mentions_;
  std::vector<std::optional<Result<common::RawJson>>> answers_;
  std::size_t count_ = 0;
  Completion<Json> done_;
};

}  // namespace

bool hasPluginMentions(const Json& input) {
  return std::any_of(input.items().begin(), input.items().end(), [](const Json& block) {
    const auto& mentions = block["mentions"].items();
    return std::any_of(mentions.begin(), mentions.end(), isPlugins);
  });
}

void resolveMentions(agents::IMentionProviders& providers, Json input, Completion<Json> done) {
  auto mentions = mentionsOf(input);
  Course::ask(std::make_shared<Course>(std::move(input), std::move(mentions), std::move(done)),
              providers);
}

}  // namespace svc::threads
