#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/observe.hpp"
#include "storage/database/database.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// Returns the reason why a session must not be used for a target; nullopt if it can.
std::optional<Observable> check_standby(Session& session, const StandbyTarget& target);

/// Returns the name of a server in `standby_url` that is reachable and belongs to another cluster than the
/// primary; nullopt if there is none, or if the primary is unreachable. Blocks.
std::optional<std::string> foreign_server(const std::string& database_url, const std::string& standby_url);

/// Runs `work(session)` on a standby, after `settings` (SQL). False if the standby cannot be used or fails;
/// the caller then runs the work on the primary. Throws what the work throws, except DatabaseUnavailable, and
/// StatementError only for an exceeded time limit. Blocks.
bool run_on_standby(const StandbyTarget& target, std::string_view application_name,
                    const std::string& settings, const std::function<void(Session&)>& work);

}  // namespace waybill::storage
