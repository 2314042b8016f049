#include "plugin_dir.h"

#include <fstream>

namespace svc::test {

std::filesystem::path fixture(const std::string& name) {
  return std::filesystem::path(SVC_TEST_SOURCE_DIR) / "tests/fixtures/plugins" / name;
}

std::filesystem::path example(const std::string& name) {
  return std::filesystem::path(SVC_TEST_SOURCE_DIR) / "examples" / name;
}

PluginDir::PluginDir(const std::string& id, const std::string& server_source) {
  std::ofstream(path() / "package.json")
      << R"({"name":"svc-plugin-)" << id
      << R"(","version":"1.0.0","type":"module","svc":{"server":"server.ts"}})";
  write(server_source);
}

void PluginDir::write(const std::string& server_source) const {
  // A new file renamed over the old one: a load that runs right now sees one or the other, never half.
  const auto temporary = path() / "server.ts.new";
  std::ofstream(temporary) << server_source;
  std::filesystem::rename(temporary, path() / "server.ts");
}

std::string answering(const std::string& json) {
  return R"(
const any = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } };
export default function (svc: any) {
  svc.rpc.register({ get: { input: any, output: any } }, { get: () => ()" +
         json + R"() });
}
)";
}

}  // namespace svc::test
