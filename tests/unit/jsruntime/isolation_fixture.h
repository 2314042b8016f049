#pragma once

#include <algorithm>
#include <string>

#include "script_fixture.h"

namespace svc::jsruntime {

/// Answers what the text evaluates to, promises awaited; `use(id)` gives a module of Node.
inline constexpr const char* kEval = R"(
  const use = (id) => process.getBuiltinModule(id);
  runtime.handle('eval', async (meta, body) => String(await eval(body)));
)";

class IsolationTest : public ScriptFixture {
 protected:
  Instance instance;
  std::string eval(const std::string& script) {
    if (!instance) {
      instance = create(kEval);
    }
    return text(call(instance, "eval", script));
  }
  /// Runs `body` in a worker thread; what it posts, or its error, or its exit code.
  std::string inWorker(const std::string& body) {
    return eval("new Promise((resolve) => { const worker = new (use('worker_threads').Worker)(`" +
                body + R"js(`, { eval: true });
      worker.on('message', resolve).on('error', (e) => resolve(e.code + ' ' + e.message))
            .on('exit', (code) => resolve('exit ' + code)); }))js");
  }
  /// The code, or else the message, with which a member of process.binding(`name`) refuses.
  std::string refusalOfBinding(const std::string& name, const std::string& call) {
    return eval("try { process.binding('" + name + "')." + call +
                "; 'changed' } catch (e) { e.code ?? e.message }");
  }
  std::string logged(const std::string& part) {
    const auto seen = observer->waitFor([&](const auto& all) {
      return std::any_of(all.lines.begin(), all.lines.end(), [&](const auto& line) {
        return line.text.find(part) != std::string::npos;
      });
    });
    std::string all;
    for (const auto& line : seen.lines) {
      all += line.level + ": " + line.text + "\n";
    }
    return all;
  }
};

}  // namespace svc::jsruntime
