#include "packages.h"

#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace svc::test {
namespace {

void writeFile(const std::filesystem::path& file, const std::string& text) {
  std::filesystem::create_directories(file.parent_path());
  std::ofstream(file) << text;
}

void writePluginFiles(const std::filesystem::path& root, const std::string& package,
                      const std::string& version, const std::string& engine) {
  writeFile(root / "package.json", R"({"name":")" + package + R"(","version":")" + version +
                                       R"(","type":"module","engines":{"svc":")" + engine +
                                       R"("},"svc":{"server":"server.ts"}})");
  writeFile(root / "server.ts",
            R"(import { defineRpcContract } from "@get-svc/plugin-sdk";
import type { SvcPluginApi } from "@get-svc/plugin-sdk";

const any = {
  "~standard": { version: 1 as const, vendor: "fixture", validate: (value: unknown) => ({ value }) },
};
const contract = defineRpcContract({ get: { input: any, output: any } });

export default function plugin(svc: SvcPluginApi) {
  svc.rpc.register(contract, { get: () => ")" +
                version + R"(" });
}
)");
}

}  // namespace

GitRepository::GitRepository() { git({"init", "--quiet", "--initial-branch=main", "."}); }

void GitRepository::git(std::vector<std::string> arguments) const {
  Command command;
  command.argv = {"/usr/bin/env",   "git", "-c",
                  "user.name=Test", "-c",  "user.email=test@example.org"};
  command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
  command.directory = path();
  const auto outcome = runCommand(command);
  if (outcome.exit_code != 0) {
    throw std::runtime_error("git failed: " + outcome.err);
  }
}

void GitRepository::write(const std::string& file, const std::string& text) const {
  writeFile(path() / file, text);
}

void GitRepository::writePlugin(const std::string& id, const std::string& version,
                                const std::string& directory) const {
  writePluginFiles(path() / directory, id, version, "*");
}

void GitRepository::commit() const {
  git({"add", "--all"});
  git({"commit", "--quiet", "-m", "change"});
}

void GitRepository::tag(const std::string& name) const {
  git({"tag", "--force", "-a", name, "-m", name});
}

NpmRegistry::NpmRegistry() {
  const auto script =
      std::filesystem::path(SVC_TEST_SOURCE_DIR) / "tests" / "support" / "npm_registry.mjs";
  server_ = std::make_unique<Child>(
      Command{.argv = {"/usr/bin/env", "node", script.string(), directory_.path().string()}});
  const auto port = server_->readLine();
  if (!port) {
    throw std::runtime_error("the registry did not start: " + server_->errorText());
  }
  const auto url = "http://127.0.0.1:" + *port + "/";
  const auto cache = (directory_.path() / ".cache").string();
  // NOLINTBEGIN(concurrency-mt-unsafe): no other thread runs yet
  ::setenv("npm_config_registry", url.c_str(), 1);
  ::setenv("npm_config_cache", cache.c_str(), 1);
  // NOLINTEND(concurrency-mt-unsafe)
}

NpmRegistry::~NpmRegistry() {
  // NOLINTBEGIN(concurrency-mt-unsafe): no other thread runs any more
  ::unsetenv("npm_config_registry");
  ::unsetenv("npm_config_cache");
  // NOLINTEND(concurrency-mt-unsafe)
}

void NpmRegistry::publish(const std::string& package, const std::string& version,
                          const std::string& engine) const {
  writePluginFiles(directory_.path() / package / version, package, version, engine);
}

void NpmRegistry::write(const std::string& file, const std::string& text) const {
  writeFile(directory_.path() / file, text);
}

}  // namespace svc::test
