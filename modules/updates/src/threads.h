#pragma once

#include "svc/kernel/executor.h"

namespace svc::updates {

/// The threads of this module: everything lives on main; what blocks (copies, archives) runs on the bulk lane.
struct Threads {
  IMainExecutor& main;
  IBulkWorkers& workers;
};

}  // namespace svc::updates
