#pragma once

#include "svc/plugins/plugins.h"

#include "work.h"

namespace svc::installs {

/// Load step 4 of managed plugins: the files are those that were installed. Main thread; hashing runs on a worker.
class Verifier {
 public:
  explicit Verifier(Work& work) : work_(work) {}
  void verify(const plugins::ArtifactRequest& request,
              Completion<std::vector<plugins::DevProblem>> done);

 private:
  Work& work_;
};

}  // namespace svc::installs
