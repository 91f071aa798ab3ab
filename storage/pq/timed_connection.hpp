#pragma once

#include "storage/pq/connect_params.hpp"
#include "storage/pq/libpq.hpp"
#include "storage/pq/steady_time.hpp"

namespace waybill::storage::pq {

/// Tries until `end` to open a session, and returns it, whose status tells the result; null without memory.
ConnectionHandle connect_until(const ConnectParams& params, SteadyTime end,
                               PGVerbosity verbosity = PQERRORS_DEFAULT);

/// Waits until `end` for the rows of a statement; null if it fails or they do not come.
ResultHandle rows_until(PGconn* connection, const char* sql, SteadyTime end);

}  // namespace waybill::storage::pq
