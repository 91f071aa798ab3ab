#pragma once

#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "api/route/paging.hpp"
#include "api/route/route.hpp"
#include "api/route/services.hpp"

namespace waybill::api {

/// Open ones first, then the final ones.
inline constexpr std::string_view run_statuses[] = {"waiting", "queued",    "running", "retrying",
                                                    "held",    "succeeded", "dead",    "skipped"};

inline constexpr Parameter list_run_parameters[] = {
    page_parameter,
    page_size_parameter,
    {.name = "workflowId", .kind = Kind::uuid},
    {.name = "status", .kind = Kind::one_of, .values = run_statuses},
    {.name = "entityId", .kind = Kind::uuid},
    {.name = "from", .kind = Kind::date_or_timestamp},
    {.name = "to", .kind = Kind::date_or_timestamp, .description = "a date includes its whole day"},
};

/// A page of the business's runs, newest first. Its cost does not grow with how many runs are kept: finished
/// ones are counted by `run_counts`, and only those days are looked into that the page's runs are of.
asio::awaitable<Answer> list_runs(Call& call, Services& services);

}  // namespace waybill::api
