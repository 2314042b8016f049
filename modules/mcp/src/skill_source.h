#pragma once

#include <memory>

#include "svc/mcp/sources.h"
#include "svc/skills/skills.h"

namespace svc::mcp {

/// Skills: each file a resource `skill://<owner>/<skill>/<file>`, each skill a prompt, and the methods of the extension
/// `io.modelcontextprotocol/skills`.
class SkillSource final : public ISource {
 public:
  explicit SkillSource(skills::ISkills& skills) : skills_(skills) {}

  [[nodiscard]] common::Json capabilities() const override;
  [[nodiscard]] std::string instructions(const Caller& caller) override;
  [[nodiscard]] std::vector<Item> list(ListKind kind, const Caller& caller) override;
  [[nodiscard]] bool takes(std::string_view method, std::string_view key) const override;
  void answer(Request request, Completion<Answer> done) override;

 private:
  void prompt(const Request& request, Completion<Answer> done) const;
  void read(const Request& request, Completion<Answer> done) const;

  skills::ISkills& skills_;
};

}  // namespace svc::mcp
