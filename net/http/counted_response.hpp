#pragma once

#include "net/destination/destination_counts.hpp"
#include "net/http/http_client.hpp"

namespace waybill::net {

/// Counts an attempt that was one request, with the success (a 2xx) and the duration of its response. Does
/// nothing for a cancelled request, or if `counts` is null.
void count_response(DestinationCounts* counts, EndedAttempt attempt, const HttpResponse& response);

}  // namespace waybill::net
