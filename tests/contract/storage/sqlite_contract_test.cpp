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
#include "unit/storage/store_fixture.h"

namespace svc::storage {
namespace {

INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, HostStoreContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, InstallStoreContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, KeyValueStoreContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, McpTokenStoreContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, PluginMeterStoreContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, PluginStoreContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, ProjectStoreContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, ScheduleStoreContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, ServiceSettingsContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, SettingsStoreContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, SnapshotStoreContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, TerminalStoreContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, ThreadStoreContract, StoreFixture);
INSTANTIATE_TYPED_TEST_SUITE_P(Sqlite, EnvironmentStoreContract, StoreFixture);

}  // namespace
}  // namespace svc::storage
