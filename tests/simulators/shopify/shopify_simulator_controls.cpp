#include "tests/simulators/shopify/shopify_simulator.hpp"

namespace waybill::tests {

std::int64_t ShopifySimulator::add_order(const json::object& fields) {
  const std::lock_guard lock(mutex_);
  return shop_.add_order(fields);
}
void ShopifySimulator::add_orders(std::size_t count) {
  const std::lock_guard lock(mutex_);
  for (std::size_t i = 0; i < count; ++i) shop_.add_order({});
}
void ShopifySimulator::change_order(std::int64_t id, const json::object& fields) {
  const std::lock_guard lock(mutex_);
  shop_.change_order(id, fields);
}
void ShopifySimulator::remove_order(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  shop_.orders.erase(id);
}
json::object ShopifySimulator::order(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  return *shop_.orders.find(id);
}
std::int64_t ShopifySimulator::add_product(const json::object& fields) {
  const std::lock_guard lock(mutex_);
  return shop_.add_product(fields);
}
void ShopifySimulator::change_product(std::int64_t id, const json::object& fields) {
  const std::lock_guard lock(mutex_);
  shop_.change_product(id, fields);
}
void ShopifySimulator::remove_product(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  shop_.products.erase(id);
}
void ShopifySimulator::freeze_time(bool is_frozen) {
  const std::lock_guard lock(mutex_);
  shop_.freeze_time(is_frozen);
}
std::size_t ShopifySimulator::notifications() {
  const std::lock_guard lock(mutex_);
  return shop_.notifications;
}

void ShopifySimulator::set_scopes(std::set<std::string> scopes) {
  const std::lock_guard lock(mutex_);
  scopes_ = std::move(scopes);
}
void ShopifySimulator::set_limits(double bucket, double restored_per_second, double max_query_cost) {
  const std::lock_guard lock(mutex_);
  available_ = bucket_ = bucket;
  restored_ = restored_per_second;
  max_query_cost_ = max_query_cost;
  available_at_ = std::chrono::steady_clock::now();
}
void ShopifySimulator::without_limits() {
  constexpr double plenty = 1e9;
  set_limits(plenty, plenty, plenty);
}
void ShopifySimulator::use_cursors(ShopifyTable::Cursors cursors) {
  const std::lock_guard lock(mutex_);
  cursors_ = cursors;
}
void ShopifySimulator::expire_tokens() {
  const std::lock_guard lock(mutex_);
  tokens_.clear();
}

void ShopifySimulator::fail_next(Fault fault, std::size_t times) {
  const std::lock_guard lock(mutex_);
  faults_.insert(faults_.end(), times, fault);
}
void ShopifySimulator::fail_after(std::size_t calls, Fault fault) {
  const std::lock_guard lock(mutex_);
  faults_.insert(faults_.end(), calls, std::nullopt);
  faults_.emplace_back(fault);
}
void ShopifySimulator::before_page(std::function<void(std::size_t)> hook) {
  const std::lock_guard lock(mutex_);
  page_hook_ = std::move(hook);
}
void ShopifySimulator::before_call(std::string operation, std::function<void()> hook) {
  const std::lock_guard lock(mutex_);
  hooked_call_ = std::move(operation);
  call_hook_ = std::move(hook);
}
void ShopifySimulator::hold(std::shared_ptr<Gate> gate) {
  const std::lock_guard lock(mutex_);
  if (gate_) gate_->open();
  gate_ = std::move(gate);
}

std::size_t ShopifySimulator::performed(std::string_view operation) {
  const std::lock_guard lock(mutex_);
  if (!operation.empty()) {
    const auto found = performed_.find(operation);
    return found == performed_.end() ? 0 : found->second;
  }
  std::size_t all = 0;
  for (const auto& [name, times] : performed_) all += times;
  return all;
}
std::size_t ShopifySimulator::throttled() {
  const std::lock_guard lock(mutex_);
  return throttled_;
}
std::size_t ShopifySimulator::too_costly() {
  const std::lock_guard lock(mutex_);
  return too_costly_;
}
std::size_t ShopifySimulator::grants() {
  const std::lock_guard lock(mutex_);
  return grants_;
}
std::set<std::string> ShopifySimulator::paths() {
  const std::lock_guard lock(mutex_);
  return paths_;
}

}  // namespace waybill::tests
