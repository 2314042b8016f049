#include "contract/storage/environment_store_contract.h"
#include "contract/storage/host_store_contract.h"
#include "contract/storage/install_store_contract.h"
#include "contract/storage/key_value_store_contract.h"
#include "contract/storage/mcp_token_store_contract.h"
#include "contract/storage/plugin_meter_store_contract.h"
#include "contract/storage/plugin_store_contract.h"
#include "contract/storage/project_store_contract.h"
#include "contract/storage/schedule_store_contract.h"
#include "contract/storage/service_settings_contract.h"
#include "contract/storage/settings_store_contract.h"
#include "contract/storage/snapshot_store_contract.h"
#include "contract/storage/terminal_store_contract.h"
#include "contract/storage/thread_store_contract.h"
#include "memory_store.h"

namespace svc::storage {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Memory, HostStoreContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, InstallStoreContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, KeyValueStoreContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, McpTokenStoreContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, PluginMeterStoreContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, PluginStoreContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, ProjectStoreContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, ScheduleStoreContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, ServiceSettingsContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, SettingsStoreContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, SnapshotStoreContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, TerminalStoreContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, ThreadStoreContract, storage_memory::MemoryStore);
INSTANTIATE_TYPED_TEST_SUITE_P(Memory, EnvironmentStoreContract, storage_memory::MemoryStore);

}  // namespace
}  // namespace svc::storage
