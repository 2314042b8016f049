#include "inspector_part.h"

#include <string>
#include <utility>
#include <vector>

#include "inspector_scripts.h"

namespace svc::inspector {

plugins::ApiPart inspectorPart(std::shared_ptr<Snapshots> snapshots) {
  return {
      .name = "inspector",
      .script = scripts::kInspector,
      .functions = [snapshots = std::move(snapshots)](
                       const std::weak_ptr<plugins::IGeneration>& /*generation*/) {
        return script::hostFunctions(
            {{.name = "inspector.chunk",
              // The plugin stands still for its snapshot anyway: writing at once keeps memory flat.
              .sync = [snapshots](const std::string& chunk) -> Result<std::string> {
                if (auto status = snapshots->append(chunk); !status) {
                  return std::move(status).error();
                }
                return std::string();
              }}});
      }};
}

}  // namespace svc::inspector
