#include <map>
#include <memory>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <libpq-fe.h>

#include "storage/statement/statement_list.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/sql_head.hpp"

namespace waybill::tests {
namespace {

using Result = std::unique_ptr<PGresult, decltype(&PQclear)>;

/// Describes statements on a migrated database.
class Server {
 public:
  Server() : connection_(PQconnectdb(database_.url().c_str()), PQfinish) {
    if (PQstatus(connection_.get()) != CONNECTION_OK) {
      throw std::runtime_error(PQerrorMessage(connection_.get()));
    }
  }

  /// Returns the server's description; null after a failed expectation.
  Result describe(const storage::Statement& statement) {
    const Result prepared(PQprepare(connection_.get(), "", std::string(statement.text).c_str(), 0, nullptr),
                          PQclear);
    EXPECT_EQ(PQresultStatus(prepared.get()), PGRES_COMMAND_OK) << PQerrorMessage(connection_.get());
    return {PQdescribePrepared(connection_.get(), ""), PQclear};
  }

  /// Returns the OID of a type by its SQL name, 0 if there is no such type.
  Oid type(std::string_view name) {
    const auto [entry, added] = types_.try_emplace(std::string(name));
    if (added) {
      entry->second = static_cast<Oid>(
          database_.number("select coalesce(to_regtype($1)::oid::bigint, 0)", {std::string(name)}));
    }
    return entry->second;
  }

 private:
  TestDatabase database_;
  std::unique_ptr<PGconn, decltype(&PQfinish)> connection_;
  std::map<std::string, Oid> types_;
};

TEST(Statements, TheServerDescribesThemAsTheirHeadsDo) {
  Server server;
  for (const auto* statement : storage::all_statements()) {
    SCOPED_TRACE(statement->name);
    const Result described = server.describe(*statement);
    ASSERT_EQ(PQnparams(described.get()), static_cast<int>(statement->params.size()));
    for (std::size_t i = 0; i < statement->params.size(); ++i) {
      EXPECT_EQ(PQparamtype(described.get(), static_cast<int>(i)), server.type(statement->params[i].type))
          << "parameter " << statement->params[i].name;
    }
    const int columns = PQnfields(described.get());
    const int declared = static_cast<int>(statement->columns.size());
    ASSERT_GE(columns, declared);
    for (int i = 0; i < declared; ++i) {
      const auto& column = statement->columns[static_cast<std::size_t>(i)];
      EXPECT_EQ(PQfname(described.get(), i), column.name);
      EXPECT_EQ(PQftype(described.get(), i), server.type(column.type)) << "column " << column.name;
    }
    if (declared > 0)
      EXPECT_EQ(columns > declared, statement->more_columns) << "columns after the declared ones";
  }
}

TEST(Statements, TheirHeadsDiffer) {
  std::set<std::string_view> heads;
  for (const auto* statement : storage::all_statements()) {
    EXPECT_TRUE(heads.insert(sql_head(statement->text)).second) << statement->name;
  }
}

}  // namespace
}  // namespace waybill::tests
