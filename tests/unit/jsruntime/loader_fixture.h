#pragma once

#include <string>
#include <string_view>

#include "script_fixture.h"

namespace svc::jsruntime {

inline constexpr std::string_view kLoaderPart = R"(exports.default = (runtime) => {
  let loaded;
  runtime.handle('load', async (meta, body) => {
    loaded = await runtime.loadModule(body);
    return Object.keys(loaded).sort().join();
  });
  runtime.handle('run', async (meta, body) => String(await loaded.default(body)));
};)";

/// Loads a plugin written to a scratch folder, whose node_modules are those of the project.
class LoaderFixture : public ScriptFixture {
 protected:
  LoaderFixture() {
    folder.write("package.json", R"({ "name": "plugin", "type": "module" })");
    options.cache_dir = cache_.path() / "plugin";
  }

  void useProjectPackages() const {
    std::filesystem::create_directory_symlink(SVC_TEST_NODE_MODULES,
                                              folder.path() / "node_modules");
  }
  Instance createLoader() {
    options.parts.clear();
    observer = std::make_shared<RecordingObserver>();
    options.observer = observer;
    options.parts.push_back({"test", kLoaderPart});
    return create("");
  }
  /// Loads the entry and answers what its default export returns.
  std::string run(const std::string& entry, const std::string& argument = "") {
    auto instance = createLoader();
    const auto loaded = call(instance, "load", entry);
    if (!loaded) {
      return text(loaded);
    }
    auto result = text(call(instance, "run", argument));
    return result;
  }

 private:
  ScratchFolder cache_;
};

}  // namespace svc::jsruntime
