#pragma once

#include "storage/pq/connect_params.hpp"
#include "storage/pq/libpq.hpp"
#include "storage/pq/steady_time.hpp"

namespace waybill::storage::pq {

/// Tries until `end` to open a session, and returns it, whose status tells the result; null without memory.
ConnectionHandle connect_until(const ConnectParams& params, SteadyTime end,
                               PGVerbosity verbosity = PQERRORS_DEFAULT);

}  // namespace waybill::storage::pq
