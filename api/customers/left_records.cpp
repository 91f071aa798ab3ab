#include "api/customers/left_records.hpp"

#include "storage/sql/customer_erasures.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::api {
namespace {

constexpr Time always{};
constexpr std::size_t guids_per_row = 10;  // a guid takes a tenth of the time of a changed row

/// Returns the next portion of the guids.
Guids portion_of(const std::vector<Guid>& guids, std::size_t begin, std::size_t size) {
  return Guids(guids).subspan(begin, std::min(size, guids.size() - begin));
}

}  // namespace

std::vector<Step> RecordSearch::steps(const std::vector<Guid>* unlinked) {
  const auto begin = [this](storage::Session&, std::size_t) {
    *this = RecordSearch(business_, *customers_);
    return false;
  };
  const auto orders = [this](storage::Session& session, std::size_t size) {
    return add_own_orders(session, business_, *customers_, size * guids_per_row, own_.orders);
  };
  const auto shipments = [this](storage::Session& session, std::size_t size) {
    return add_own_shipments(session, business_, *customers_, size * guids_per_row, direct_shipments_);
  };
  const auto step = [this](auto method) {
    return [this, method](storage::Session& session, std::size_t size) {
      return (this->*method)(session, size);
    };
  };
  const auto finish = [this, unlinked](storage::Session&, std::size_t) { return finish_own(unlinked); };
  return {begin,
          orders,
          shipments,
          step(&RecordSearch::add_shipments_of_orders),
          finish,
          step(&RecordSearch::add_left),
          step(&RecordSearch::add_left_own_orders),
          step(&RecordSearch::add_of_left_orders),
          step(&RecordSearch::limit_times)};
}

bool RecordSearch::add_shipments_of_orders(storage::Session& session, std::size_t size) {
  const auto portion = portion_of(own_.orders, begin_, size);
  if (!portion.empty()) {
    for (const auto& row :
         session.run(sql::customer_erasures::ShipmentsOfOrders{.business = business_, .orders = portion}))
      own_.shipments.push_back(row.guid);
  }
  begin_ += portion.size();
  return begin_ < own_.orders.size();
}

bool RecordSearch::finish_own(const std::vector<Guid>* unlinked) {
  own_.shipments.insert(own_.shipments.end(), direct_shipments_.begin(), direct_shipments_.end());
  if (unlinked != nullptr) own_.shipments.insert(own_.shipments.end(), unlinked->begin(), unlinked->end());
  make_distinct(own_.shipments);
  all_own_.insert(own_.orders.begin(), own_.orders.end());
  all_own_.insert(own_.shipments.begin(), own_.shipments.end());
  begin_ = 0;
  return false;
}

void RecordSearch::add_time(const Guid& record, Time first, Time last) {
  if (!all_own_.contains(record)) found_.emplace(record, first, last);
}

/// Adds orders and shipments that left the person.
bool RecordSearch::add_left(storage::Session& session, std::size_t size) {
  const auto limit = static_cast<std::int64_t>(size * guids_per_row);
  const auto rows = session.run(sql::customer_erasures::LeftCustomer{
      .business = business_, .customers = *customers_, .after_event = last_left_, .limit = limit});
  std::int64_t count = 0;
  for (const auto& row : rows) {
    add_time(row.guid, row.first, row.last);
    if (row.is_order && !all_own_.contains(row.guid))
      left_orders_.emplace(row.guid, std::pair(row.first, row.last));
    last_left_ = row.event;
    ++count;
  }
  return count == limit;
}

/// Adds shipments that left orders of the person.
bool RecordSearch::add_left_own_orders(storage::Session& session, std::size_t size) {
  const auto portion = portion_of(own_.orders, begin_, size);
  if (!portion.empty()) {
    for (const auto& row :
         session.run(sql::customer_erasures::LeftOrders{.business = business_, .orders = portion}))
      add_time(row.guid, always, row.at);
  }
  begin_ += portion.size();
  if (begin_ < own_.orders.size()) return true;
  begin_ = 0;
  for (const auto& [order, time] : left_orders_) guids_of_left_orders_.push_back(order);
  make_distinct(guids_of_left_orders_);
  return false;
}

/// Adds shipments of orders that left the person, and shipments that left these orders.
bool RecordSearch::add_of_left_orders(storage::Session& session, std::size_t size) {
  const auto portion = portion_of(guids_of_left_orders_, begin_, size);
  if (!portion.empty()) {
    const auto shipments =
        session.run(sql::customer_erasures::ShipmentsOfOrders{.business = business_, .orders = portion});
    for (const auto& row : shipments) {
      const auto [from, to] = left_orders_.equal_range(row.order_id);
      for (auto order = from; order != to; ++order)
        add_time(row.guid, order->second.first, order->second.second);
    }
    for (const auto& row :
         session.run(sql::customer_erasures::LeftOrders{.business = business_, .orders = portion})) {
      const auto [from, to] = left_orders_.equal_range(row.order_id);
      for (auto order = from; order != to; ++order)
        add_time(row.guid, order->second.first, std::min(order->second.second, row.at));
    }
  }
  begin_ += portion.size();
  if (begin_ < guids_of_left_orders_.size()) return true;
  begin_ = 0;
  times_.assign(found_.begin(), found_.end());
  found_.clear();
  return false;
}

bool RecordSearch::limit_times(storage::Session& session, std::size_t size) {
  LeftRecords portion;
  const auto end = std::min(begin_ + size, times_.size());
  for (std::size_t i = begin_; i < end; ++i) {
    const auto& [record, first, last] = times_[i];
    portion.guids.push_back(record);
    portion.firsts.push_back(first);
    portion.lasts.push_back(last);
  }
  if (!portion.guids.empty()) {
    const auto rows =
        session.run(sql::customer_erasures::LeftTimes{.business = business_,
                                                      .records = portion.guids,
                                                      .firsts = storage::binary_array(portion.firsts),
                                                      .lasts = storage::binary_array(portion.lasts)});
    for (const auto& row : rows) {
      left_.guids.push_back(row.guid);
      left_.firsts.push_back(row.first);
      left_.lasts.push_back(row.last);
    }
  }
  begin_ = end;
  return begin_ < times_.size();
}

}  // namespace waybill::api
