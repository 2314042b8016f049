#pragma once

#include <filesystem>
#include <string>

#include "child.h"

namespace svc::test {

/// tests/fixtures/plugins/<name>
[[nodiscard]] std::filesystem::path fixture(const std::string& name);
/// examples/<name>
[[nodiscard]] std::filesystem::path example(const std::string& name);

/// A plugin whose source a test rewrites, without dependencies. Its id is the given one.
class PluginDir {
 public:
  PluginDir(const std::string& id, const std::string& server_source);
  void write(const std::string& server_source) const;
  [[nodiscard]] const std::filesystem::path& path() const { return directory_.path(); }

 private:
  TempDir directory_;
};

/// Source of a plugin with one RPC method, `get`, that answers the given JSON text.
[[nodiscard]] std::string answering(const std::string& json);

}  // namespace svc::test
