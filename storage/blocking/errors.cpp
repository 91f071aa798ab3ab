#include "storage/blocking/errors.hpp"

#include <string>
#include <string_view>

#include <pqxx/except>

#include "storage/statement/errors.hpp"

namespace waybill::storage::blocking {
namespace {

/// The message without the severity before it ("ERROR:  ") and the end of its line.
std::string message_of(const std::exception& error) {
  std::string_view text = error.what();
  while (text.ends_with('\n')) text.remove_suffix(1);
  constexpr std::string_view separator = ":  ";
  const auto severity_end = text.find(separator);
  if (severity_end != std::string_view::npos && text.find(' ') > severity_end) {
    text.remove_prefix(severity_end + separator.size());
  }
  return std::string(text);
}

[[noreturn]] void refuse(const std::exception& error, const std::string& sqlstate) {
  if (ends_session(sqlstate)) throw DatabaseUnavailable(message_of(error));
  throw StatementError(message_of(error), sqlstate, "");
}

}  // namespace

void throw_translated() {
  try {
    throw;
  } catch (const pqxx::insufficient_privilege& error) {
    // libpqxx 6.4 drops the SQLSTATE of these.
    refuse(error, error.sqlstate().empty() ? "42501" : error.sqlstate());
  } catch (const pqxx::sql_error& error) {
    refuse(error, error.sqlstate());
  } catch (const pqxx::deadlock_detected& error) {
    refuse(error, "40P01");
  } catch (const pqxx::serialization_failure& error) {
    refuse(error, "40001");
  } catch (const pqxx::statement_completion_unknown& error) {
    refuse(error, "40003");
  } catch (const pqxx::transaction_rollback& error) {
    refuse(error, "40000");
  } catch (const pqxx::in_doubt_error&) {
    throw DatabaseUnavailable("the connection to the database was lost during a commit");
  } catch (const pqxx::broken_connection&) {  // its message is only the place at which libpqxx noticed it
    throw DatabaseUnavailable("the connection to the database was lost");
  } catch (const pqxx::failure& error) {
    throw DatabaseUnavailable(message_of(error));
  }
}

void throw_not_connected() {
  try {
    throw;
  } catch (const pqxx::broken_connection& error) {
    throw DatabaseUnavailable(message_of(error));
  } catch (...) {
    throw_translated();
  }
}

}  // namespace waybill::storage::blocking
