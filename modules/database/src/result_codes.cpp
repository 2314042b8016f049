#include "result_codes.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string_view>

#include <sqlite3.h>

namespace svc::database {

namespace {

struct ResultCode {
  int code;
  std::string_view name;
};

// The name of a macro is not to be had without one.
#define SVC_RESULT(name) \
  { name, #name }

constexpr auto kResultCodes = std::to_array<ResultCode>({SVC_RESULT(SQLITE_OK),
                                                         SVC_RESULT(SQLITE_ERROR),
                                                         SVC_RESULT(SQLITE_INTERNAL),
                                                         SVC_RESULT(SQLITE_PERM),
                                                         SVC_RESULT(SQLITE_ABORT),
                                                         SVC_RESULT(SQLITE_BUSY),
                                                         SVC_RESULT(SQLITE_LOCKED),
                                                         SVC_RESULT(SQLITE_NOMEM),
                                                         SVC_RESULT(SQLITE_READONLY),
                                                         SVC_RESULT(SQLITE_INTERRUPT),
                                                         SVC_RESULT(SQLITE_IOERR),
                                                         SVC_RESULT(SQLITE_CORRUPT),
                                                         SVC_RESULT(SQLITE_NOTFOUND),
                                                         SVC_RESULT(SQLITE_FULL),
                                                         SVC_RESULT(SQLITE_CANTOPEN),
                                                         SVC_RESULT(SQLITE_PROTOCOL),
                                                         SVC_RESULT(SQLITE_EMPTY),
                                                         SVC_RESULT(SQLITE_SCHEMA),
                                                         SVC_RESULT(SQLITE_TOOBIG),
                                                         SVC_RESULT(SQLITE_CONSTRAINT),
                                                         SVC_RESULT(SQLITE_MISMATCH),
                                                         SVC_RESULT(SQLITE_MISUSE),
                                                         SVC_RESULT(SQLITE_NOLFS),
                                                         SVC_RESULT(SQLITE_AUTH),
                                                         SVC_RESULT(SQLITE_FORMAT),
                                                         SVC_RESULT(SQLITE_RANGE),
                                                         SVC_RESULT(SQLITE_NOTADB),
                                                         SVC_RESULT(SQLITE_NOTICE),
                                                         SVC_RESULT(SQLITE_WARNING),
                                                         SVC_RESULT(SQLITE_ROW),
                                                         SVC_RESULT(SQLITE_DONE),
                                                         SVC_RESULT(SQLITE_ERROR_MISSING_COLLSEQ),
                                                         SVC_RESULT(SQLITE_ERROR_RETRY),
                                                         SVC_RESULT(SQLITE_ERROR_SNAPSHOT),
                                                         SVC_RESULT(SQLITE_IOERR_READ),
                                                         SVC_RESULT(SQLITE_IOERR_SHORT_READ),
                                                         SVC_RESULT(SQLITE_IOERR_WRITE),
                                                         SVC_RESULT(SQLITE_IOERR_FSYNC),
                                                         SVC_RESULT(SQLITE_IOERR_DIR_FSYNC),
                                                         SVC_RESULT(SQLITE_IOERR_TRUNCATE),
                                                         SVC_RESULT(SQLITE_IOERR_FSTAT),
                                                         SVC_RESULT(SQLITE_IOERR_UNLOCK),
                                                         SVC_RESULT(SQLITE_IOERR_RDLOCK),
                                                         SVC_RESULT(SQLITE_IOERR_DELETE),
                                                         SVC_RESULT(SQLITE_IOERR_BLOCKED),
                                                         SVC_RESULT(SQLITE_IOERR_NOMEM),
                                                         SVC_RESULT(SQLITE_IOERR_ACCESS),
                                                         SVC_RESULT(SQLITE_IOERR_CHECKRESERVEDLOCK),
                                                         SVC_RESULT(SQLITE_IOERR_LOCK),
                                                         SVC_RESULT(SQLITE_IOERR_CLOSE),
                                                         SVC_RESULT(SQLITE_IOERR_DIR_CLOSE),
                                                         SVC_RESULT(SQLITE_IOERR_SHMOPEN),
                                                         SVC_RESULT(SQLITE_IOERR_SHMSIZE),
                                                         SVC_RESULT(SQLITE_IOERR_SHMLOCK),
                                                         SVC_RESULT(SQLITE_IOERR_SHMMAP),
                                                         SVC_RESULT(SQLITE_IOERR_SEEK),
                                                         SVC_RESULT(SQLITE_IOERR_DELETE_NOENT),
                                                         SVC_RESULT(SQLITE_IOERR_MMAP),
                                                         SVC_RESULT(SQLITE_IOERR_GETTEMPPATH),
                                                         SVC_RESULT(SQLITE_IOERR_CONVPATH),
                                                         SVC_RESULT(SQLITE_IOERR_VNODE),
                                                         SVC_RESULT(SQLITE_IOERR_AUTH),
                                                         SVC_RESULT(SQLITE_IOERR_BEGIN_ATOMIC),
                                                         SVC_RESULT(SQLITE_IOERR_COMMIT_ATOMIC),
                                                         SVC_RESULT(SQLITE_IOERR_ROLLBACK_ATOMIC),
                                                         SVC_RESULT(SQLITE_IOERR_DATA),
                                                         SVC_RESULT(SQLITE_IOERR_CORRUPTFS),
                                                         SVC_RESULT(SQLITE_LOCKED_SHAREDCACHE),
                                                         SVC_RESULT(SQLITE_LOCKED_VTAB),
                                                         SVC_RESULT(SQLITE_BUSY_RECOVERY),
                                                         SVC_RESULT(SQLITE_BUSY_SNAPSHOT),
                                                         SVC_RESULT(SQLITE_BUSY_TIMEOUT),
                                                         SVC_RESULT(SQLITE_CANTOPEN_NOTEMPDIR),
                                                         SVC_RESULT(SQLITE_CANTOPEN_ISDIR),
                                                         SVC_RESULT(SQLITE_CANTOPEN_FULLPATH),
                                                         SVC_RESULT(SQLITE_CANTOPEN_CONVPATH),
                                                         SVC_RESULT(SQLITE_CANTOPEN_DIRTYWAL),
                                                         SVC_RESULT(SQLITE_CANTOPEN_SYMLINK),
                                                         SVC_RESULT(SQLITE_CORRUPT_VTAB),
                                                         SVC_RESULT(SQLITE_CORRUPT_SEQUENCE),
                                                         SVC_RESULT(SQLITE_CORRUPT_INDEX),
                                                         SVC_RESULT(SQLITE_READONLY_RECOVERY),
                                                         SVC_RESULT(SQLITE_READONLY_CANTLOCK),
                                                         SVC_RESULT(SQLITE_READONLY_ROLLBACK),
                                                         SVC_RESULT(SQLITE_READONLY_DBMOVED),
                                                         SVC_RESULT(SQLITE_READONLY_CANTINIT),
                                                         SVC_RESULT(SQLITE_READONLY_DIRECTORY),
                                                         SVC_RESULT(SQLITE_ABORT_ROLLBACK),
                                                         SVC_RESULT(SQLITE_CONSTRAINT_CHECK),
                                                         SVC_RESULT(SQLITE_CONSTRAINT_COMMITHOOK),
                                                         SVC_RESULT(SQLITE_CONSTRAINT_FOREIGNKEY),
                                                         SVC_RESULT(SQLITE_CONSTRAINT_FUNCTION),
                                                         SVC_RESULT(SQLITE_CONSTRAINT_NOTNULL),
                                                         SVC_RESULT(SQLITE_CONSTRAINT_PRIMARYKEY),
                                                         SVC_RESULT(SQLITE_CONSTRAINT_TRIGGER),
                                                         SVC_RESULT(SQLITE_CONSTRAINT_UNIQUE),
                                                         SVC_RESULT(SQLITE_CONSTRAINT_VTAB),
                                                         SVC_RESULT(SQLITE_CONSTRAINT_ROWID),
                                                         SVC_RESULT(SQLITE_CONSTRAINT_PINNED),
                                                         SVC_RESULT(SQLITE_CONSTRAINT_DATATYPE),
                                                         SVC_RESULT(SQLITE_NOTICE_RECOVER_WAL),
                                                         SVC_RESULT(SQLITE_NOTICE_RECOVER_ROLLBACK),
                                                         SVC_RESULT(SQLITE_WARNING_AUTOINDEX),
                                                         SVC_RESULT(SQLITE_AUTH_USER),
                                                         SVC_RESULT(SQLITE_OK_LOAD_PERMANENTLY),
                                                         SVC_RESULT(SQLITE_OK_SYMLINK)});

#undef SVC_RESULT

}  // namespace

std::string resultName(int code) {
  const auto* const found =
      std::find_if(std::begin(kResultCodes), std::end(kResultCodes),
                   [code](const ResultCode& entry) { return entry.code == code; });
  return found == std::end(kResultCodes) ? "SQLITE_UNKNOWN_" + std::to_string(code)
                                         : std::string(found->name);
}

}  // namespace svc::database
