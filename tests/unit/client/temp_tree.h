#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>

namespace svc::client {

/// A directory of a test, removed with the object.
class TempTree {
 public:
  TempTree() {
    auto pattern = (std::filesystem::temp_directory_path() / "svc-client-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) {
      throw std::runtime_error("no temporary directory");
    }
    path_ = std::filesystem::canonical(pattern);
  }
  ~TempTree() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempTree(const TempTree&) = delete;
  TempTree& operator=(const TempTree&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  void write(const std::string& file, const std::string& text) const {
    std::filesystem::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file, std::ios::binary) << text;
  }
  [[nodiscard]] std::string read(const std::string& file) const {
    std::ifstream in(path_ / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  [[nodiscard]] bool has(const std::string& file) const {
    return std::filesystem::exists(path_ / file);
  }
  void remove(const std::string& file) const { std::filesystem::remove_all(path_ / file); }

 private:
  std::filesystem::path path_;
};

/// Takes the lock of a data directory as a server with this pid does, until it is let go.
inline std::shared_ptr<void> lockDirectory(const std::filesystem::path& directory, int pid) {
  const int lock =
      ::open((directory / "server.lock").c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0 || ::dprintf(lock, "%d\n", pid) < 0) {
    throw std::runtime_error("the directory cannot be locked");
  }
  return {nullptr, [lock](void*) { ::close(lock); }};
}

/// What <prefix>/share/svc holds, as small as it can be.
inline void writeShare(const TempTree& tree) {
  tree.write(
      "share/sdk/dist/runtime-slots.json",
      R"({"sdkVersion":"0.4.84","runtimePackageVersions":{"react":"19.3.1","vaul":"1.1.2"}})");
  tree.write("share/sdk/get-svc-plugin-sdk-0.4.84.tgz", "packed");
  tree.write("share/scaffold/package.json", R"({
  "name": "{{package}}",
  "engines": {
    "svc": "{{svc_range}}",
    "svcPluginSdk": "{{sdk_range}}"
  },
  "svc": {
    "name": "{{title}}",
    "server": "./server.ts"
  },
  "dependencies": {
    "zod": "^4"
  },
  "devDependencies": {
    "@get-svc/plugin-sdk": "{{sdk_version}}",
    "react": "19.0.0"
  }
}
)");
  tree.write("share/scaffold/gitignore", "dist/\n");
  tree.write("share/scaffold/app.tsx", "<p style={{ margin: 0 }}>{{id}} {{id}}</p>\n");
  tree.write("share/scaffold/skills/example/SKILL.md", "svc {{id}} at {{base_url}}\n");
}

/// An example in it, as small as it can be.
inline void writeExample(const TempTree& tree, const std::string& id, const std::string& about,
                         const std::string& share = "share") {
  const auto folder = share + "/builtin/plugin-author/examples/" + id;
  tree.write(folder + "/package.json",
             "{\n \"name\": \"svc-plugin-" + id + "\",\n \"description\": \"" + about +
                 "\",\n \"svc\": {\"name\": \"It\"},\n \"devDependencies\": {\"react\": "
                 "\"18.0.0\"}\n}\n");
  tree.write(folder + "/server.ts", "register(\"" + id + "\")\n");
}

/// Components in it: a table, and what it needs.
inline void writeRegistry(const TempTree& tree, const std::string& share = "share") {
  tree.write(share + "/registry/registry.json",
             R"({"items":[{"name":"table","description":"A table"},
                {"name":"utils","description":"Joins class names"}]})");
  tree.write(share + "/registry/table.json",
             R"({"registryDependencies":["@svc/utils"],
                "files":[{"path":"components/ui/table.tsx","content":"the table\n"}]})");
  tree.write(share + "/registry/utils.json",
             R"({"devDependencies":["clsx@2.1.1","tailwind-merge@3.7.0"],
                "files":[{"path":"lib/utils.ts","content":"cn\n"}]})");
}

}  // namespace svc::client
