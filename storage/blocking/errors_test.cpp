#include "storage/blocking/errors.hpp"

#include <string>

#include <gtest/gtest.h>
#include <pqxx/except>

#include "storage/statement/errors.hpp"

namespace waybill::storage::blocking {
namespace {

/// The SQLSTATE of the translated error, or "unavailable"; and its message.
template <typename Error>
std::string translation_of(const Error& error) {
  try {
    translated([&] { throw error; });
  } catch (const StatementError& refused) {
    EXPECT_EQ(refused.constraint(), "");
    return refused.sqlstate() + " " + refused.what();
  } catch (const DatabaseUnavailable& unavailable) {
    return std::string("unavailable ") + unavailable.what();
  }
  return "nothing";
}

TEST(BlockingErrors, RefusalsKeepTheirSqlstateAndLoseTheirSeverity) {
  EXPECT_EQ(translation_of(pqxx::sql_error("ERROR:  no lock: sorry\n", "select 1", "55P03")),
            "55P03 no lock: sorry");
  EXPECT_EQ(translation_of(pqxx::unique_violation("FEHLER:  duplicate\n", "", "23505")), "23505 duplicate");
  EXPECT_EQ(translation_of(pqxx::sql_error("a message with:  blanks", "", "XX000")),
            "XX000 a message with:  blanks");
}

TEST(BlockingErrors, ErrorsThatLibpqxxThrowsWithoutTheirSqlstateGetItBack) {
  EXPECT_EQ(translation_of(pqxx::insufficient_privilege("ERROR:  no\n")), "42501 no");
  EXPECT_EQ(translation_of(pqxx::deadlock_detected("ERROR:  no\n")), "40P01 no");
  EXPECT_EQ(translation_of(pqxx::serialization_failure("ERROR:  no\n")), "40001 no");
  EXPECT_EQ(translation_of(pqxx::statement_completion_unknown("ERROR:  no\n")), "40003 no");
  EXPECT_EQ(translation_of(pqxx::transaction_rollback("ERROR:  no\n")), "40000 no");
}

TEST(BlockingErrors, AnErrorThatEndsTheSessionIsUnavailable) {
  EXPECT_EQ(translation_of(pqxx::sql_error("FATAL:  stop\n", "", "57P01")), "unavailable stop");
  EXPECT_EQ(translation_of(pqxx::sql_error("ERROR:  standby\n", "", "25006")), "unavailable standby");
  EXPECT_EQ(translation_of(pqxx::sql_error("FATAL:  idle\n", "", "25P03")), "unavailable idle");
  EXPECT_EQ(translation_of(pqxx::broken_connection("Could not obtain client encoding: not connected.")),
            "unavailable the connection to the database was lost");
  EXPECT_EQ(translation_of(pqxx::in_doubt_error("WARNING")),
            "unavailable the connection to the database was lost during a commit");
  EXPECT_EQ(translation_of(pqxx::failure("out of memory\n")), "unavailable out of memory");
}

TEST(BlockingErrors, FailedConnectionHasItsReason) {
  try {
    try {
      throw pqxx::broken_connection("no such host\n");
    } catch (...) {
      throw_not_connected();
    }
  } catch (const DatabaseUnavailable& error) {
    EXPECT_STREQ(error.what(), "no such host");
  }
}

TEST(BlockingErrors, OthersPass) {
  EXPECT_THROW(translated([] { throw std::invalid_argument("no"); }), std::invalid_argument);
  EXPECT_THROW(translated([] { throw pqxx::argument_error("no"); }), pqxx::argument_error);
  EXPECT_EQ(translated([] { return 7; }), 7);
}

}  // namespace
}  // namespace waybill::storage::blocking
