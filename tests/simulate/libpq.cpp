// The functions of libpq with which libpqxx connects and performs statements: in this program, blocking
// connections reach the model of the database of the running simulation. The linker takes them instead of the
// library's. Results are the library's.
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <libpq-fe.h>

#include "base/number.hpp"
#include "storage/statement/errors.hpp"
#include "tests/simulate/database.hpp"

struct pg_conn {
  std::unique_ptr<waybill::storage::Link> link;  // null if the connection could not be opened
  bool has_ended = false;
  std::string error;
};

namespace {

using waybill::simulate::Database;
using waybill::storage::Rows;

constexpr int protocol = 3;
constexpr int server_version = 150000;
constexpr int utf8 = 6;

/// The SQLSTATE of the last statement that was refused. libpqxx reads it before another fiber runs.
std::string refused;

PGresult* result_of(const Rows& rows) {
  if (rows.columns() == 0) return PQmakeEmptyPGresult(nullptr, PGRES_COMMAND_OK);
  PGresult* const result = PQmakeEmptyPGresult(nullptr, PGRES_TUPLES_OK);
  std::vector<std::string> names;
  for (int column = 0; column < rows.columns(); ++column) names.emplace_back(rows.name(column));
  std::vector<PGresAttDesc> columns;
  for (std::string& name : names)
    columns.push_back({.name = name.data(),
                       .tableid = 0,
                       .columnid = 0,
                       .format = 0,
                       .typid = 0,
                       .typlen = -1,
                       .atttypmod = -1});
  PQsetResultAttrs(result, rows.columns(), columns.data());
  for (int row = 0; row < rows.size(); ++row) {
    for (int column = 0; column < rows.columns(); ++column) {
      const std::string_view value = rows.get(row, column);
      if (rows.is_null(row, column))
        PQsetvalue(result, row, column, nullptr, -1);
      else
        PQsetvalue(result, row, column, const_cast<char*>(value.data()), static_cast<int>(value.size()));
    }
  }
  return result;
}

/// The result of a statement; null if the session ends.
template <typename Work>
PGresult* perform(pg_conn* connection, Work work) {
  try {
    return result_of(work(*connection->link));
  } catch (const waybill::storage::StatementError& error) {
    refused = error.sqlstate();
    connection->error = error.what();
    return PQmakeEmptyPGresult(nullptr, PGRES_FATAL_ERROR);
  } catch (const waybill::storage::DatabaseUnavailable& error) {
    connection->has_ended = true;
    connection->error = error.what();
    return nullptr;
  }
}

}  // namespace

extern "C" {

PGconn* PQconnectdb(const char* conninfo) {
  std::string owner, name;
  PQconninfoOption* const options = PQconninfoParse(conninfo, nullptr);
  for (const PQconninfoOption* option = options; option->keyword != nullptr; ++option) {
    if (option->val == nullptr) continue;
    const std::string_view keyword = option->keyword;
    if (keyword == "dbname") owner = option->val;
    if (keyword == "application_name") name = option->val;
  }
  PQconninfoFree(options);
  auto connection = std::make_unique<pg_conn>();
  try {
    connection->link =
        Database::active().open(waybill::parse_number<waybill::simulate::Owner>(owner).value(), name);
  } catch (const waybill::storage::DatabaseUnavailable& error) {
    connection->has_ended = true;
    connection->error = error.what();
  }
  return connection.release();
}

void PQfinish(PGconn* connection) { delete connection; }

ConnStatusType PQstatus(const PGconn* connection) {
  return connection == nullptr || connection->has_ended ? CONNECTION_BAD : CONNECTION_OK;
}

PGresult* PQexec(PGconn* connection, const char* query) {
  return perform(connection, [&](waybill::storage::Link& link) { return link.execute(query); });
}

PGresult* PQprepare(PGconn*, const char*, const char*, int, const Oid*) {
  return PQmakeEmptyPGresult(nullptr, PGRES_COMMAND_OK);
}

PGresult* PQexecPrepared(PGconn* connection, const char* name, int count, const char* const* values,
                         const int*, const int*, int) {
  waybill::storage::Params params;
  for (int i = 0; i < count; ++i) {
    if (values[i] == nullptr)
      params.add_null();
    else
      params.add(std::string_view(values[i]));
  }
  return perform(connection, [&](waybill::storage::Link& link) {
    return link.run(waybill::simulate::blocking_statement(name), params, waybill::storage::Format::text);
  });
}

char* PQresultErrorField(const PGresult* result, int field) {
  if (PQresultStatus(result) != PGRES_FATAL_ERROR || field != PG_DIAG_SQLSTATE) return nullptr;
  return refused.data();
}

char* PQerrorMessage(const PGconn* connection) { return const_cast<char*>(connection->error.c_str()); }
int PQserverVersion(const PGconn*) { return server_version; }
int PQprotocolVersion(const PGconn*) { return protocol; }
int PQclientEncoding(const PGconn*) { return utf8; }
int PQsocket(const PGconn* connection) { return connection->link ? connection->link->socket() : -1; }
int PQconsumeInput(PGconn*) { return 1; }
char* PQhost(const PGconn*) {
  static char host[] = "simulated";
  return host;
}

char* PQport(const PGconn*) {
  static char port[] = "1";
  return port;
}

PGnotify* PQnotifies(PGconn*) { return nullptr; }
void PQtrace(PGconn*, FILE*) {}
void PQuntrace(PGconn*) {}

PGVerbosity PQsetErrorVerbosity(PGconn*, PGVerbosity verbosity) { return verbosity; }

PQnoticeProcessor PQsetNoticeProcessor(PGconn*, PQnoticeProcessor processor, void*) { return processor; }

}  // extern "C"
