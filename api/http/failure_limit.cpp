#include "api/http/failure_limit.hpp"

#include <algorithm>

#include <boost/asio/ip/address.hpp>

namespace waybill::api {

void FailureLimit::begin_minute(Time now) {
  const Time minute = std::chrono::floor<std::chrono::minutes>(now);
  if (minute == minute_) return;
  minute_ = minute;
  failures_.clear();
}

std::string FailureLimit::name_of(std::string_view client) const {
  std::string name(client);
  if (failures_.size() >= options_.most_counted && !failures_.contains(name)) name.clear();
  return name;
}

std::optional<std::chrono::seconds> FailureLimit::wait_after(std::size_t failures, Time now) const {
  if (failures < options_.most_failures) return std::nullopt;
  return std::chrono::ceil<std::chrono::seconds>(minute_ + std::chrono::minutes(1) - now);
}

std::optional<std::chrono::seconds> FailureLimit::wait(std::string_view client, Time now) {
  const std::lock_guard lock(mutex_);
  begin_minute(now);
  const auto found = failures_.find(name_of(client));
  return found == failures_.end() ? std::nullopt : wait_after(found->second, now);
}

void FailureLimit::failed(std::string_view client, Time now) {
  const std::lock_guard lock(mutex_);
  begin_minute(now);
  ++failures_[name_of(client)];
}

std::optional<std::chrono::seconds> FailureLimit::count(std::string_view client, Time now) {
  const std::lock_guard lock(mutex_);
  begin_minute(now);
  auto& failures = failures_[name_of(client)];
  if (const auto wait = wait_after(failures, now)) return wait;
  ++failures;
  return std::nullopt;
}

std::string network_of(std::string_view address) {
  boost::system::error_code error;
  const auto parsed = boost::asio::ip::make_address(std::string(address), error);
  if (error || !parsed.is_v6()) return std::string(address);
  if (parsed.to_v6().is_v4_mapped()) {
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, parsed.to_v6()).to_string();
  }
  auto bytes = parsed.to_v6().to_bytes();
  std::fill(bytes.begin() + bytes.size() / 2, bytes.end(), std::uint8_t{0});
  return boost::asio::ip::address_v6(bytes).to_string();
}

}  // namespace waybill::api
