#include "api/http/call_limit.hpp"

namespace waybill::api {

void CallLimit::begin_minute(Time now) {
  const Time minute = std::chrono::floor<std::chrono::minutes>(now);
  if (minute == minute_) return;
  minute_ = minute;
  calls_.clear();
}

std::string CallLimit::name_of(std::string_view client) const {
  std::string name(client);
  if (calls_.size() >= options_.most_clients && !calls_.contains(name)) name.clear();
  return name;
}

std::optional<std::chrono::seconds> CallLimit::wait_after(std::size_t calls, Time now) const {
  if (calls < options_.most_calls) return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(minute_ + std::chrono::minutes(1) - now);
}

std::optional<std::chrono::seconds> CallLimit::wait(std::string_view client, Time now) {
  const Lock lock(mutex_);
  begin_minute(now);
  const auto found = calls_.find(std::string(client));
  return found == calls_.end() ? std::nullopt : wait_after(found->second, now);
}

void CallLimit::failed(std::string_view client, Time now) {
  const Lock lock(mutex_);
  begin_minute(now);
  ++calls_[name_of(client)];
}

std::optional<std::chrono::seconds> CallLimit::count(std::string_view client, Time now) {
  const Lock lock(mutex_);
  begin_minute(now);
  auto& calls = calls_[name_of(client)];
  if (const auto wait = wait_after(calls, now)) return wait;
  ++calls;
  return std::nullopt;
}

}  // namespace waybill::api
