#pragma once

#include <functional>
#include <memory>
#include <string>

#include "svc/kernel/executor.h"
#include "svc/mcp/sources.h"

namespace svc::conformance {

using Done = std::shared_ptr<Completion<mcp::Answer>>;
using Tool = std::function<void(const mcp::Request& request, const Done& done)>;

/// A table of tools by name, with the schema of their arguments.
struct NamedTool {
  std::string name;
  std::string schema;
  Tool run;
};

[[nodiscard]] mcp::Answer answer(std::string json);
[[nodiscard]] mcp::Answer text(const std::string& content);
/// A member of the request's params, parsed.
[[nodiscard]] common::Json param(const mcp::Request& request, const char* name);

/// Tools that ask the client: in between, or with `input_required`.
[[nodiscard]] std::vector<NamedTool> askingTools();
/// `prompts/get` of test_input_required_result_prompt.
void answerAskingPrompt(const mcp::Request& request, const Done& done);

/// What the suite calls by fixed names.
class Fixtures final : public mcp::ISource {
 public:
  Fixtures(mcp::ISources& sources, IMainExecutor& main);

  [[nodiscard]] common::Json capabilities() const override;
  [[nodiscard]] std::string instructions(const mcp::Caller& /*caller*/) override { return {}; }
  [[nodiscard]] std::vector<mcp::Item> list(mcp::ListKind kind, const mcp::Caller& caller) override;
  [[nodiscard]] bool takes(std::string_view method, std::string_view key) const override;
  void answer(mcp::Request request, Completion<mcp::Answer> done) override;

 private:
  void getPrompt(const mcp::Request& request, const Done& done) const;
  static void read(const mcp::Request& request, const Done& done);
  /// Steps 50 ms apart.
  void steps(std::vector<std::function<void()>> steps);

  mcp::ISources& sources_;
  IMainExecutor& main_;
  std::vector<NamedTool> tools_;
};

}  // namespace svc::conformance
