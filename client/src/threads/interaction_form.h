#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "svc/common/json.h"
#include "svc/kernel/result.h"

namespace svc::client {

/// What an agent or plugin asks, for people: what it says, what may be answered, and answers as the server takes them.
class InteractionForm {
 public:
  explicit InteractionForm(common::Json interaction);

  /// `changes` of the item that an approval of files is about.
  void show(common::Json changes) { changes_ = std::move(changes); }

  [[nodiscard]] const std::string& id() const { return interaction_["id"].asString(); }
  /// Plugins have forms of their own, which only the window shows.
  [[nodiscard]] bool ofPlugin() const { return kind_ == Kind::kPlugin; }
  /// Lines that say what is asked; made safe for a terminal.
  [[nodiscard]] std::string description() const;
  /// Of the next answer, such as "[y]es, [n]o?"; made safe for a terminal.
  [[nodiscard]] std::string prompt() const;
  /// Questions that are answered one by one, the rest is by one word or value.
  [[nodiscard]] bool ofQuestions() const { return kind_ == Kind::kQuestions; }
  /// Of all that is asked, for who answers it at once.
  [[nodiscard]] std::string prompts() const;
  /// Words of `svc thread answer` that would answer all of it.
  [[nodiscard]] std::string example() const;

  /// Takes one answer; then there may be another prompt. An empty one leaves an optional question out. Errors: `invalid_argument` says what may be answered.
  [[nodiscard]] Status take(const std::string& answer);
  [[nodiscard]] bool done() const;
  /// Body of the request that answers, and the end of its path: "resolve", or "respond" of a plugin.
  [[nodiscard]] common::Json body() const;
  [[nodiscard]] const char* route() const { return ofPlugin() ? "respond" : "resolve"; }

 private:
  enum class Kind : std::uint8_t { kApproval, kQuestions, kPlugin };
  [[nodiscard]] bool offers(const char* decision) const;
  [[nodiscard]] Status takeDecision(const std::string& answer);
  [[nodiscard]] Status takeAnswer(const std::string& answer);
  [[nodiscard]] const std::vector<common::Json>& questions() const {
    return interaction_["payload"]["questions"].items();
  }
  [[nodiscard]] const common::Json& question() const;
  /// With its number where there are several.
  [[nodiscard]] std::string questionPrompt(std::size_t at) const;

  common::Json interaction_;
  common::Json changes_{};
  Kind kind_ = Kind::kApproval;
  std::string decision_;
  std::vector<common::Json> answers_;  ///< in the order of the questions; null = left out
  std::optional<common::Json> value_;
};

}  // namespace svc::client
