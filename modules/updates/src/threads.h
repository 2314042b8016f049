#pragma once

#include "svc/kernel/executor.h"

namespace svc::updates {

/// The threads of this module: everything lives on main; what blocks runs on workers.
struct Threads {
  IMainExecutor& main;
  IWorkerPool& workers;
};

}  // namespace svc::updates
