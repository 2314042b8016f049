#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "database_part.h"
#include "memory_account.h"
#include "script_fixture.h"

namespace svc::database {

/// A real environment with `svc.storage.database()`. The body of create() sees `svc` and `Database`, the class.
class DatabaseFixture : public jsruntime::ScriptFixture {
 protected:
  DatabaseFixture() {
    EXPECT_TRUE(MemoryAccount::install().ok());
    std::filesystem::create_directories(file.parent_path());
    const auto part = databasePart(folder.path());
    options.parts.push_back({"api", kApi});
    options.parts.push_back({part.name, part.script});
    databases_ = part.natives({}, options.limits).front();
    options.natives = {databases_};
  }

  Instance create(const std::string& body) {
    // Each environment takes its own: the one before may still be ending, and closes its databases then.
    const auto part = databasePart(folder.path());
    options.functions = part.functions({});
    auto next = part.natives({}, options.limits).front();
    for (auto& native : options.natives) {
      native = native.extension == databases_.extension ? next : native;
    }
    databases_ = std::move(next);
    return ScriptFixture::create(body);
  }
  /// Handlers of the host: (name, body of an async function of `text`).
  static std::string handler(const std::string& name, const std::string& body) {
    return "runtime.handle('" + name + "', async (meta, text) => {" + body + "});\n";
  }
  /// An environment that answers "run" with what `body` returns, as JSON.
  Instance running(const std::string& body) {
    return create(kNames + handler("run", "return JSON.stringify(await (async () => {" + body +
                                              "})()) ?? '';"));
  }
  /// What `body` returns as JSON, or "<code>: <message>".
  std::string resultOf(const std::string& body) { return text(call(running(body), "run")); }

  /// The database of the plugin, whose id is empty here.
  const std::filesystem::path file = folder.path() / "plugins" / "data.db";

  static constexpr const char* kNames =
      "const svc = api.svc; const Database = svc.storage.database().constructor; "
      "svc.storage.database().close();\n";

 private:
  static constexpr const char* kApi = R"(
exports.default = (runtime, api) => {
  Object.assign(api, {
    svc: { storage: {} },
    guard: (member, fn) => fn,
    fail: (member, what) => { throw new TypeError(`${member}: ${what}`); },
    setRegistration() {},
  });
};)";

  script::NativeExtension databases_;  ///< of the environment that create() made last
};

}  // namespace svc::database
