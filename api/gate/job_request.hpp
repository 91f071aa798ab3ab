#pragma once

#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"

namespace waybill::api {

/// The most jobs of a business that have not ended.
inline constexpr std::int64_t most_open_jobs = 20;

/// The path of a job, without its guid.
inline constexpr std::string_view job_path = "/api/jobs/";

/// The header of an answer that names a job.
inline constexpr std::string_view applied_preference = "Preference-Applied: respond-async\r\n";

/// True if the head of a request has the preference `respond-async` (RFC 7240) in any Prefer field.
bool prefers_job(std::string_view head);

/// Stores the call, which has passed all checks of its endpoint, as a job, and returns the answer 202. The
/// job begins after the commit, in any API process. Throws Failure (CONFLICT) if the business has too many
/// jobs, and what Database throws.
asio::awaitable<Answer> accept_job(const Endpoint& endpoint, Role least_role, const Call& call,
                                   Services& services);

/// The text of a call that a job keeps: who made it, and its path, parameters and body.
std::string stored_call(const Call& call);
/// The call of such a text, for a handler of `endpoint`. `peer` keeps the address to which the call refers.
/// Throws std::invalid_argument for another text.
Call read_stored_call(std::string_view text, const Endpoint& endpoint, std::string& peer);

}  // namespace waybill::api
