#include "net/http/request_inbox.hpp"

namespace waybill::net {

bool RequestInbox::add(HttpRequest&& request, HttpClient::Done&& done) {
  const Lock lock(mutex_);
  requests_.emplace_back(std::move(request), std::move(done));
  return std::exchange(is_asleep_, false);
}

void RequestInbox::stop() {
  const Lock lock(mutex_);
  is_stopping_ = true;
}

bool RequestInbox::take(std::vector<Incoming>& taken) {
  const Lock lock(mutex_);
  is_asleep_ = false;
  taken.swap(requests_);
  return !is_stopping_;
}

bool RequestInbox::fall_asleep() {
  const Lock lock(mutex_);
  is_asleep_ = requests_.empty() && !is_stopping_;
  return is_asleep_;
}

}  // namespace waybill::net
