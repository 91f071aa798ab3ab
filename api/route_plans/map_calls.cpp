#include "api/route_plans/map_calls.hpp"

#include <algorithm>
#include <utility>

namespace waybill::api {
namespace {

net::HttpResponse failed_call(net::HttpFailure failure, std::string_view error) {
  net::HttpResponse response;
  response.failure = failure;
  response.error = error;
  return response;
}

}  // namespace

void MapCalls::send(const Guid& business, net::HttpRequest request, Moment until, Done done) {
  Lock lock(mutex_);
  if (is_closed_) {
    lock.unlock();
    return done(failed_call(net::HttpFailure::cancelled, net::client_stopped));
  }
  Call call{.business = business, .request = std::move(request), .until = until, .done = std::move(done)};
  switch (places_.enter(business)) {
    case Places::Entry::runs:
      return begin(std::move(call));
    case Places::Entry::waits:
      places_.wait(business, std::move(call));
      return serve();
    case Places::Entry::refused:
      break;
  }
  lock.unlock();
  call.done(failed_call(net::HttpFailure::timeout, "Too many calls of the business wait."));
}

void MapCalls::expire() {
  std::vector<Call> late;
  {
    const Lock lock(mutex_);
    const Moment now = std::chrono::steady_clock::now();
    late = places_.take_fronts([&](const Call& call) { return call.until <= now; });
  }
  for (const Call& call : late)
    call.done(failed_call(net::HttpFailure::timeout, "The turn of the call did not come in time."));
}

void MapCalls::close() {
  std::vector<Call> waiting;
  {
    const Lock lock(mutex_);
    is_closed_ = true;
    waiting = places_.take_fronts([](const Call&) { return true; });
  }
  for (const Call& call : waiting) call.done(failed_call(net::HttpFailure::cancelled, net::client_stopped));
}

void MapCalls::serve() {
  while (auto call = places_.next()) begin(*std::move(call));
}

void MapCalls::begin(Call call) {
  using std::chrono::milliseconds;
  const auto left = std::chrono::duration_cast<milliseconds>(call.until - std::chrono::steady_clock::now());
  call.request.total_timeout = std::max(left, milliseconds(1));
  sender_.send(std::move(call.request),
               [this, business = call.business, done = std::move(call.done)](net::HttpResponse response) {
                 done(std::move(response));
                 end(business);
               });
}

void MapCalls::end(const Guid& business) {
  const Lock lock(mutex_);
  places_.end(business);
  serve();
}

}  // namespace waybill::api
