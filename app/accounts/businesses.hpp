#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/accounts/accounts.hpp"
#include "app/config/config.hpp"
#include "base/guid.hpp"
#include "storage/blocking/connection.hpp"

namespace waybill::app {

/// The session of a command that acts on businesses. The audit log names its changes as those of the
/// operator: the operating system's user who runs the command.
class OperatorSession {
 public:
  /// Throws DatabaseUnavailable, or StatementError without a schema.
  OperatorSession(const std::string& database_url, const char* application_name);

  storage::blocking::Connection& connection() { return connection_; }
  /// The name of the operating system's user.
  const std::string& operator_name() const { return operator_name_; }
  const std::string& database_url() const { return database_url_; }
  /// The business with this guid or one of the `names`. Throws CommandError if there is none or several have
  /// the name.
  Guid find(const std::string& name_or_guid, Names names = Names::any);

 private:
  const std::string database_url_;
  const std::string operator_name_;
  storage::blocking::Connection connection_;
};

/// Adds the export of an entity to the audit log of the business. Returns false on a standby, which cannot be
/// written.
bool note_export(OperatorSession& session, const Guid& business, std::string_view entity_type,
                 const Guid& entity);

/// Both return text for people, or JSON.
std::string list_businesses(OperatorSession& session, bool as_json);
std::string usage_of_business(OperatorSession& session, const Guid& business, const Config& config,
                              bool as_json);

/// Suspends a business: within a second its tokens are refused, and none of its data is matched, imported or
/// sent.
void suspend_business(OperatorSession& session, const Guid& business);

/// Ends a suspension: its events are matched, and held runs continue. Throws CommandError if the deletion of
/// the business has begun.
void resume_business(OperatorSession& session, const Guid& business);

/// Deletes a business with all its rows, including those that a killed deletion has left, in transactions of
/// at most 2000 rows. It is suspended first. Returns the number of deleted rows. A crash loses nothing: the
/// call can be repeated.
std::int64_t delete_business(OperatorSession& session, const Guid& business);

/// Writes all rows of a business, as of one moment and without secrets, to files of JSON lines in a new
/// directory; one file for each table. Returns the number of rows. The directory appears when it is complete;
/// until then its name ends with ".partial". Throws CommandError if it exists or cannot be written.
std::int64_t export_business(OperatorSession& session, const Guid& business,
                             const std::filesystem::path& directory);

/// Writes everything that is stored about a customer, as of one moment, to a new file: the document of GET
/// /api/v1/Customers/{customerId}/export, of any size. The file appears when it is complete; until then its
/// name ends with ".partial". Throws CommandError if it exists or cannot be written, or if the business has
/// no such customer.
void export_customer(const std::string& database_url, const Guid& business, const Guid& customer,
                     const std::string& public_url, const std::filesystem::path& file);

}  // namespace waybill::app
