#pragma once

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"

namespace waybill::api {

extern const Schema cancelled_run_schema;
extern const Schema cancel_range_schema;
extern const Schema cancelled_schema;

/// Ends an open run. Throws Failure: 404 for an unknown run, 409 for one that has ended.
asio::awaitable<Answer> cancel_run(Call& call, Services& services);

/// Ends the open runs that the body selects (`cancel_range_schema`), 1 000 in a transaction, or counts them.
/// Without a job at most 100 000. After a failure or a crash the runs of earlier transactions stay ended: the
/// same call ends the rest, and a job continues. Throws Failure: 404 for an unknown workflow, 400 for too
/// many runs.
asio::awaitable<Answer> cancel_range(Call& call, Services& services);

}  // namespace waybill::api
