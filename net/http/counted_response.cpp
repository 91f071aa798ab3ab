#include "net/http/counted_response.hpp"

namespace waybill::net {

void count_response(DestinationCounts* counts, EndedAttempt attempt, const HttpResponse& response) {
  if (counts == nullptr || response.failure == HttpFailure::cancelled) return;
  attempt.succeeded =
      response.failure == HttpFailure::none && response.status >= 200 && response.status < 300;
  attempt.duration = response.duration;
  counts->note(attempt);
}

}  // namespace waybill::net
