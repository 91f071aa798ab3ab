#pragma once

#include <cstddef>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/list_cursor.hpp"
#include "api/endpoint/paging.hpp"
#include "api/endpoint/services.hpp"

namespace waybill::api {

/// The statuses of runs: first the open ones, then the final ones.
inline constexpr std::string_view run_statuses[] = {"waiting", "queued",    "running", "retrying",
                                                    "held",    "succeeded", "dead",    "skipped"};
inline constexpr std::size_t open_statuses = 5;

inline constexpr Parameter list_run_parameters[] = {
    page_parameter,
    page_size_parameter,
    after_parameter,
    count_parameter,
    {.name = "workflowId", .kind = Kind::uuid},
    {.name = "status", .kind = Kind::one_of, .values = run_statuses},
    {.name = "entityId", .kind = Kind::uuid},
    {.name = "from", .kind = Kind::date_or_timestamp},
    {.name = "to", .kind = Kind::date_or_timestamp, .description = "A date includes the whole day."},
    {.name = "since",
     .kind = Kind::uuid,
     .description =
         "The guid of a run, such as the newest that was seen. The answer then has newer: the number "
         "of runs that are newer, at most 100."},
};

/// Returns a page of the business's runs, newest first. The cost does not grow with the number of stored
/// runs: `run_counts` counts the finished runs, and only the days of the page's runs are read. By cursor, the
/// runs behind one are read; their total is counted only if the call wants it.
asio::awaitable<Answer> list_runs(Call& call, Services& services);

}  // namespace waybill::api
