#pragma once

#include <concepts>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "base/observe.hpp"
#include "storage/database/database.hpp"
#include "storage/session/session.hpp"
#include "storage/standbys/standby_fault.hpp"

namespace waybill::storage {

/// Returns the reason why a session must not be used for a target; nullopt if it can.
std::optional<Observable> check_standby(Session& session, const StandbyTarget& target);

/// Returns the name of a server in `standby_url` that is reachable and belongs to another cluster than the
/// primary; nullopt if there is none, or if the primary is unreachable. Blocks.
std::optional<std::string> foreign_server(const std::string& database_url, const std::string& standby_url);

/// Runs `work(session)` on a standby, after `settings` (SQL). nullopt if the standby cannot be used or fails;
/// the caller then runs the work on the primary. Throws what the work throws, except DatabaseUnavailable, and
/// StatementError only for an exceeded time limit. Blocks.
template <std::invocable<Session&> Work>
std::optional<std::invoke_result_t<Work, Session&>> run_on_standby(const StandbyTarget& target,
                                                                   std::string_view application_name,
                                                                   const std::string& settings, Work& work) {
  std::optional<Observable> fault;
  try {
    Session session(target.connection, application_name);
    session.execute(settings);
    fault = check_standby(session, target);
    if (!fault) {
      std::optional<std::invoke_result_t<Work, Session&>> result(work(session));
      observe(Observable::standby_read);
      return result;
    }
  } catch (const DatabaseUnavailable&) {
    fault = Observable::standby_unreachable;
  } catch (const StatementError& error) {
    fault = standby_fault(error);
    if (!fault) throw;
  }
  observe(*fault);
  observe(Observable::primary_read);
  return std::nullopt;
}

}  // namespace waybill::storage
