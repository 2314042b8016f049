/** The functions of SQLite's C interface that are used here. Pointers and 32 bits are numbers, 64 bits are bigints. */
type N = number;
type Nullary = (at: N) => N;

export interface SqliteCalls {
  __wasm_call_ctors(): void;
  sqlite3_initialize(): N;
  sqlite3_malloc(size: N): N;
  sqlite3_free(at: N): void;
  sqlite3_vfs_find(name: N): N;
  sqlite3_vfs_register(vfs: N, isDefault: N): N;
  sqlite3__wasm_enum_json(): N;
  sqlite3__wasm_db_config_ip(db: N, option: N, value: N, out: N): N;

  sqlite3_open_v2(path: N, db: N, flags: N, vfs: N): N;
  sqlite3_close_v2: Nullary;
  sqlite3_extended_result_codes(db: N, on: N): N;
  sqlite3_extended_errcode: Nullary;
  sqlite3_errmsg: Nullary;
  sqlite3_busy_timeout(db: N, ms: N): N;
  sqlite3_get_autocommit: Nullary;
  sqlite3_changes64(db: N): bigint;
  sqlite3_total_changes64(db: N): bigint;
  sqlite3_last_insert_rowid(db: N): bigint;
  sqlite3_serialize(db: N, schema: N, size: N, flags: N): N;
  sqlite3_deserialize(db: N, schema: N, bytes: N, size: bigint, capacity: bigint, flags: N): N;
  sqlite3_backup_init(target: N, name: N, source: N, sourceName: N): N;
  sqlite3_backup_step(backup: N, pages: N): N;
  sqlite3_backup_pagecount: Nullary;
  sqlite3_backup_remaining: Nullary;
  sqlite3_backup_finish: Nullary;

  sqlite3_prepare_v3(db: N, sql: N, size: N, flags: N, statement: N, rest: N): N;
  sqlite3_finalize: Nullary;
  sqlite3_step: Nullary;
  sqlite3_reset: Nullary;
  sqlite3_sql: Nullary;
  sqlite3_expanded_sql: Nullary;
  sqlite3_stmt_readonly: Nullary;
  sqlite3_clear_bindings: Nullary;
  sqlite3_bind_parameter_count: Nullary;
  sqlite3_bind_parameter_name(statement: N, index: N): N;
  sqlite3_bind_null(statement: N, index: N): N;
  sqlite3_bind_double(statement: N, index: N, value: N): N;
  sqlite3_bind_int64(statement: N, index: N, value: bigint): N;
  sqlite3_bind_text(statement: N, index: N, bytes: N, size: N, free: N): N;
  sqlite3_bind_blob(statement: N, index: N, bytes: N, size: N, free: N): N;
  sqlite3_column_count: Nullary;
  sqlite3_column_name(statement: N, column: N): N;
  sqlite3_column_origin_name(statement: N, column: N): N;
  sqlite3_column_table_name(statement: N, column: N): N;
  sqlite3_column_database_name(statement: N, column: N): N;
  sqlite3_column_decltype(statement: N, column: N): N;
  sqlite3_column_type(statement: N, column: N): N;
  sqlite3_column_int64(statement: N, column: N): bigint;
  sqlite3_column_double(statement: N, column: N): N;
  sqlite3_column_text(statement: N, column: N): N;
  sqlite3_column_blob(statement: N, column: N): N;
  sqlite3_column_bytes(statement: N, column: N): N;

  sqlite3_create_function_v2(db: N, name: N, count: N, flags: N, data: N, call: N, step: N, end: N, destroy: N): N;
  sqlite3_create_window_function(db: N, name: N, count: N, flags: N, data: N, step: N, end: N, value: N, inverse: N, destroy: N): N;
  sqlite3_user_data: Nullary;
  sqlite3_aggregate_context(context: N, size: N): N;
  sqlite3_value_type: Nullary;
  sqlite3_value_int64(value: N): bigint;
  sqlite3_value_double: Nullary;
  sqlite3_value_text: Nullary;
  sqlite3_value_blob: Nullary;
  sqlite3_value_bytes: Nullary;
  sqlite3_result_null(context: N): void;
  sqlite3_result_double(context: N, value: N): void;
  sqlite3_result_int64(context: N, value: bigint): void;
  sqlite3_result_text(context: N, bytes: N, size: N, free: N): void;
  sqlite3_result_blob(context: N, bytes: N, size: N, free: N): void;
  sqlite3_result_error(context: N, message: N, size: N): void;
}
