// The methods of Connection that make functions of the author callable from SQL.
#include <memory>
#include <string>
#include <utility>

#include <boost/container/small_vector.hpp>

#include "connection.h"
#include "databases.h"
#include "text.h"
#include "values.h"

namespace svc::database {

namespace {

constexpr std::size_t kUsualArguments = 8;
using CallValues = boost::container::small_vector<v8::Local<v8::Value>, kUsualArguments>;

/// What a function and an aggregate have in common. SQLite owns it.
struct Registered {
  Connection& connection;
  std::string name;
  Integers integers;
  v8::Global<v8::Function> call;  ///< of an aggregate: its step
  v8::Global<v8::Value> start{};
  v8::Global<v8::Function> inverse{};
  v8::Global<v8::Function> result{};
};

Registered& registered(sqlite3_context* context) {
  return *static_cast<Registered*>(sqlite3_user_data(context));
}

void destroy(void* data) { delete static_cast<Registered*>(data); }

void fail(sqlite3_context* context) {
  sqlite3_result_error(context, "a function of the plugin failed", -1);
}

/// Calls JavaScript from within SQLite. What it throws is kept until SQLite has returned.
v8::MaybeLocal<v8::Value> callFunction(Connection& connection,
                                       const v8::Global<v8::Function>& function,
                                       CallValues& values) {
  auto* isolate = connection.isolate();
  v8::EscapableHandleScope scope(isolate);
  const v8::TryCatch caught(isolate);
  v8::Local<v8::Value> result;
  if (!function.Get(isolate)
           ->Call(connection.context(), v8::Undefined(isolate), static_cast<int>(values.size()),
                  values.data())
           .ToLocal(&result)) {
    connection.holdException(caught);
    return {};
  }
  return scope.Escape(result);
}

bool appendArguments(const Registered& function, int count, sqlite3_value** arguments,
                     CallValues& values) {
  const v8::TryCatch caught(function.connection.isolate());
  for (int at = 0; at < count; ++at) {
    v8::Local<v8::Value> value;
    if (!argumentValue(function.connection.databases(), arguments[at], function.integers)
             .ToLocal(&value)) {
      function.connection.holdException(caught);
      return false;
    }
    values.push_back(value);
  }
  return true;
}

void answer(sqlite3_context* context, const Registered& function, v8::Local<v8::Value> value) {
  auto* isolate = function.connection.isolate();
  const auto fit = returnValue(isolate, value, context);
  if (fit == Fit::kTaken) {
    return;
  }
  if (fit == Fit::kNoMemory) {
    v8::Local<v8::Value> error;
    if (function.connection.databases().memoryError().ToLocal(&error)) {
      function.connection.holdException(error);
    }
    fail(context);
    return;
  }
  const auto subject = "User-defined function " + function.name + "() returned ";
  function.connection.holdException(
      fit == Fit::kNotAValue
          ? v8::Exception::TypeError(literal(isolate, subject + "an invalid value"))
          : v8::Exception::RangeError(
                literal(isolate, subject + (value->IsBigInt() ? "a bigint that was too big"
                                                              : "a value that was too big"))));
  fail(context);
}

void callScalar(sqlite3_context* context, int count, sqlite3_value** arguments) {
  auto& function = registered(context);
  const v8::HandleScope scope(function.connection.isolate());
  CallValues values;
  v8::Local<v8::Value> result;
  if (function.connection.holdsException() ||
      !appendArguments(function, count, arguments, values) ||
      !callFunction(function.connection, function.call, values).ToLocal(&result)) {
    fail(context);
    return;
  }
  answer(context, function, result);
}

// ---- aggregates --------------------------------------------------------------------------------------------------

/// The state of one aggregation, in memory that SQLite gives and clears.
struct Accumulator {
  v8::Global<v8::Value>* value;  ///< null also when the start function has thrown
  bool started;
  bool is_window;  ///< its values have been asked for one by one
};

/// Empty when the start function has thrown.
v8::MaybeLocal<v8::Value> startValue(const Registered& aggregate) {
  const auto start = aggregate.start.Get(aggregate.connection.isolate());
  if (!start->IsFunction()) {
    return start;
  }
  CallValues none;
  return callFunction(
      aggregate.connection,
      v8::Global<v8::Function>(aggregate.connection.isolate(), start.As<v8::Function>()), none);
}

/// The accumulator with its value so far; null (with an error set) when there is none.
Accumulator* accumulatorOf(sqlite3_context* context, const Registered& aggregate) {
  auto* accumulator =
      static_cast<Accumulator*>(sqlite3_aggregate_context(context, sizeof(Accumulator)));
  if (accumulator == nullptr) {
    sqlite3_result_error_nomem(context);
    return nullptr;
  }
  v8::Local<v8::Value> start;
  if (!aggregate.connection.holdsException() && !std::exchange(accumulator->started, true) &&
      startValue(aggregate).ToLocal(&start)) {
    accumulator->value = new v8::Global<v8::Value>(aggregate.connection.isolate(), start);
  }
  if (aggregate.connection.holdsException() || accumulator->value == nullptr) {
    fail(context);
    return nullptr;
  }
  return accumulator;
}

void accumulate(sqlite3_context* context, int count, sqlite3_value** arguments,
                v8::Global<v8::Function> Registered::*function) {
  auto& aggregate = registered(context);
  auto* isolate = aggregate.connection.isolate();
  const v8::HandleScope scope(isolate);
  auto* accumulator = accumulatorOf(context, aggregate);
  if (accumulator == nullptr) {
    return;
  }
  CallValues values;
  values.push_back(accumulator->value->Get(isolate));
  v8::Local<v8::Value> value;
  if (!appendArguments(aggregate, count, arguments, values) ||
      !callFunction(aggregate.connection, aggregate.*function, values).ToLocal(&value)) {
    fail(context);
    return;
  }
  // A step that answers nothing keeps the value: it may be an object that the step has changed.
  if (!value->IsUndefined()) {
    accumulator->value->Reset(isolate, value);
  }
}

void stepAggregate(sqlite3_context* context, int count, sqlite3_value** arguments) {
  accumulate(context, count, arguments, &Registered::call);
}

void stepInverse(sqlite3_context* context, int count, sqlite3_value** arguments) {
  accumulate(context, count, arguments, &Registered::inverse);
}

void answerAggregate(sqlite3_context* context, const Registered& aggregate,
                     const Accumulator& accumulator) {
  auto value = accumulator.value->Get(aggregate.connection.isolate());
  if (!aggregate.result.IsEmpty()) {
    CallValues values;
    values.push_back(value);
    if (!callFunction(aggregate.connection, aggregate.result, values).ToLocal(&value)) {
      fail(context);
      return;
    }
  }
  answer(context, aggregate, value);
}

/// The value of a window, which goes on.
void aggregateValue(sqlite3_context* context) {
  const auto& aggregate = registered(context);
  const v8::HandleScope scope(aggregate.connection.isolate());
  if (auto* accumulator = accumulatorOf(context, aggregate)) {
    accumulator->is_window = true;
    answerAggregate(context, aggregate, *accumulator);
  }
}

void finishAggregate(sqlite3_context* context) {
  const auto& aggregate = registered(context);
  const v8::HandleScope scope(aggregate.connection.isolate());
  // SQLite also ends aggregations that nobody wants the result of, when a statement is reset: no JavaScript then. Nobody
  // looks at what the end of a window answers.
  auto* accumulator =
      aggregate.connection.isExecuting() ? accumulatorOf(context, aggregate) : nullptr;
  if (accumulator != nullptr && !accumulator->is_window) {
    answerAggregate(context, aggregate, *accumulator);
  }
  if (auto* left = static_cast<Accumulator*>(sqlite3_aggregate_context(context, 0))) {
    delete std::exchange(left->value, nullptr);
  }
}

int flagsOf(const Arguments& arguments) {
  return SQLITE_UTF8 | (arguments[2]->IsTrue() ? SQLITE_DETERMINISTIC : 0) |
         (arguments[3]->IsTrue() ? SQLITE_DIRECTONLY : 0);
}

std::unique_ptr<Registered> makeRegistered(Connection& connection, const Arguments& arguments) {
  auto* isolate = connection.isolate();
  const auto integers = arguments[4]->IsBoolean()
                            ? (arguments[4]->IsTrue() ? Integers::kBigInts : Integers::kNumbers)
                            : connection.integers();
  return std::make_unique<Registered>(
      Registered{connection, utf8Of(isolate, arguments[0].As<v8::String>()), integers,
                 v8::Global<v8::Function>(isolate, arguments[5].As<v8::Function>())});
}

}  // namespace

/// (name, argument count or -1, deterministic, directOnly, safeIntegers?, function)
void Connection::defineFunction(const Arguments& arguments) {
  if (!requireIdle()) {
    return;
  }
  auto function = makeRegistered(*this, arguments);
  const auto name = function->name;
  if (sqlite3_create_function_v2(handle_, name.c_str(), arguments[1].As<v8::Int32>()->Value(),
                                 flagsOf(arguments), function.release(), callScalar, nullptr,
                                 nullptr, destroy) != SQLITE_OK) {
    throwFailure();
  }
}

/// (name, argument count or -1, deterministic, directOnly, safeIntegers?, step, start, inverse?, result?)
void Connection::defineAggregate(const Arguments& arguments) {
  if (!requireIdle()) {
    return;
  }
  auto aggregate = makeRegistered(*this, arguments);
  aggregate->start.Reset(isolate(), arguments[6]);
  if (arguments[7]->IsFunction()) {
    aggregate->inverse.Reset(isolate(), arguments[7].As<v8::Function>());
  }
  if (arguments[8]->IsFunction()) {
    aggregate->result.Reset(isolate(), arguments[8].As<v8::Function>());
  }
  const bool is_window = !aggregate->inverse.IsEmpty();
  const auto name = aggregate->name;
  if (sqlite3_create_window_function(handle_, name.c_str(), arguments[1].As<v8::Int32>()->Value(),
                                     flagsOf(arguments), aggregate.release(), stepAggregate,
                                     finishAggregate, is_window ? aggregateValue : nullptr,
                                     is_window ? stepInverse : nullptr, destroy) != SQLITE_OK) {
    throwFailure();
  }
}

}  // namespace svc::database
