#include "worker/stores/import_orders.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

#include "base/database_clock.hpp"
#include "domain/records/state_machines.hpp"
#include "storage/sql/imports.sql.hpp"
#include "worker/stores/import_page.hpp"
#include "worker/stores/import_rules.hpp"
#include "worker/stores/import_statuses.hpp"

namespace waybill::worker {
namespace {

using connectors::StoreOrder;
using connectors::StorePage;
using connectors::Unreadable;
using Text = std::optional<std::string>;

/// One order of a page, and its changes.
struct Entry {
  const StoreOrder* order = nullptr;
  std::string digest;
  Guid guid;
  bool is_new = false;
  Text before;                           // its status in the store at the last import
  bool is_same = false;                  // true if unchanged since the last import
  std::string status;                    // its new status
  bool is_moved = false;                 // true if only its status is written
  bool is_written = false;               // true if the store's fields are written
  Guid customer;                         // nil until found
  const ServiceRule* service = nullptr;  // for its shipping method, if any
};

/// An order here that the store has changed.
struct Here {
  std::string status, number;
  Time created_at;
};

Unreadable unreadable(const StoreOrder& order, std::string reason) {
  return {.external_id = order.external_id,
          .number = order.number,
          .reason = std::move(reason),
          .created_at = order.created_at,
          .status = order.status};
}

class OrderPage {
 public:
  OrderPage(const ImportScope& scope, const std::vector<const StoreOrder*>& orders,
            std::vector<Unreadable> unread)
      : scope_(scope), unread_(std::move(unread)) {
    for (const auto* const order : orders) entries_.push_back({.order = order, .digest = digest_of(*order)});
  }

  asio::awaitable<PageCounts> write(std::optional<Time> reached) {
    auto work = co_await PageWork::begin(scope_);
    co_await look_up(work);
    select();
    co_await decide(work);
    co_await find_services(work);
    co_await find_customers(work);
    remark_costs();
    co_await write_orders(work);
    co_await remember(work);
    auto followed = co_await follow_statuses(work, scope_, unread_);
    co_await keep_failures(work, followed.failures);
    counts_.updated += followed.moved;
    std::vector<Refused> errors = std::move(followed.failures);
    for (const auto* const list : {&contradictions_, &followed.contradictions}) {
      errors.insert(errors.end(), list->begin(), list->end());
    }
    counts_.failed = static_cast<std::int64_t>(errors.size());
    errors.insert(errors.end(), remarks_.begin(), remarks_.end());
    co_await work.commit({.counts = counts_, .orders_reached = reached, .recent_orders = recent_orders()},
                         errors);
    co_return counts_;
  }

 private:
  /// The orders that are new or changed and that the store changed within a day. Old orders, such as those of
  /// a first import, do not tell how many usually come.
  std::int64_t recent_orders() const {
    const Time since = database_clock().now() - std::chrono::days(1);
    return std::ranges::count_if(
        entries_, [&](const Entry& entry) { return !entry.is_same && entry.order->changed_at >= since; });
  }

  asio::awaitable<void> look_up(PageWork& work) {
    if (entries_.empty()) co_return;
    std::unordered_map<std::string_view, Entry*> by_id;
    std::vector<std::string> ids;
    for (auto& entry : entries_) {
      by_id.emplace(entry.order->external_id, &entry);
      ids.push_back(entry.order->external_id);
      entry.is_new = true;
    }
    const auto known = co_await work.run(sql::imports::Known{
        .business = scope_.business, .integration = scope_.integration, .external_ids = ids});
    for (const auto& row : known) {
      Entry& entry = *by_id.at(row.external_id);
      entry.is_new = false;
      entry.guid = row.order_id;
      entry.before = row.status;
      entry.is_written = row.digest != entry.digest && !is_of_earlier_version(entry, row.digest);
      entry.is_same = !entry.is_written && entry.before == entry.order->status;
    }
  }

  /// True for an order that an earlier version imported and the store has not changed since. Without this,
  /// reading it again would undo its changes here.
  bool is_of_earlier_version(const Entry& entry, const std::optional<std::string_view>& digest) const {
    if (digest == second_digest_of(*entry.order)) return true;
    const auto& reached = scope_.claim.orders.reached;
    return reached && entry.order->changed_at <= *reached && digest == first_digest_of(*entry.order);
  }

  /// Removes the orders that are not imported: too old, or with a problem.
  void select() {
    std::erase_if(entries_, [this](const Entry& entry) {
      const StoreOrder& order = *entry.order;
      if (entry.is_new && order.created_at < scope_.claim.import_since) {
        left_out_.push_back(order.external_id);
        return true;
      }
      // An order that an earlier version accepted stays until the store changes it.
      if (entry.is_same) return false;
      auto reason = order_problem(order, entry.is_new);
      if (reason) unread_.push_back(unreadable(order, std::move(*reason)));
      return reason.has_value();
    });
  }

  /// Decides the changes of the orders that are new or differ from the last import.
  asio::awaitable<void> decide(PageWork& work) {
    std::vector<Guid> changed;
    for (auto& entry : entries_) {
      if (entry.is_new) {
        entry.guid = Guid::random();
        entry.status = entry.order->status;
      } else if (!entry.is_same) {
        changed.push_back(entry.guid);
      }
    }
    std::map<Guid, Here> current;
    if (!changed.empty()) {
      const auto locked =
          co_await work.run(sql::imports::LockOrders{.business = scope_.business, .orders = changed});
      for (const auto& row : locked)
        current.emplace(row.guid,
                        Here{std::string(row.status), std::string(row.order_number), row.created_at});
    }
    for (auto& entry : entries_) {
      if (entry.is_new || entry.is_same) continue;
      const auto found = current.find(entry.guid);
      if (found == current.end()) {
        entry.is_written = false;  // an order deleted here stays deleted
      } else {
        decide(entry, found->second);
      }
    }
  }

  void decide(Entry& entry, const Here& here) {
    const std::string& current = here.status;
    const auto& order = *entry.order;
    auto other = is_closed(current) ? reused_id(order, here.number, here.created_at) : std::nullopt;
    if (other) {
      entry.is_written = false;
      contradictions_.push_back({order.external_id, order.number, std::move(*other)});
      return;
    }
    const auto verdict = decide_status(current, entry.before, entry.order->status);
    entry.is_written = entry.is_written && !is_closed(current);
    entry.is_moved = verdict.move.has_value() && !entry.is_written;
    entry.status = verdict.move.value_or(current);
    if (!verdict.contradiction) return;
    contradictions_.push_back({order.external_id, order.number, *verdict.contradiction});
  }

  /// Finds the entries of the service mapping for the orders that are written. An entry whose carrier was
  /// deleted is ignored, and the run's errors name the order.
  asio::awaitable<void> find_services(PageWork& work) {
    std::vector<Guid> carriers;
    for (auto& entry : entries_) {
      if (!entry.is_new && !entry.is_written) continue;
      entry.service = find_service(scope_.claim.services, entry.order->shipping_method);
      if (entry.service != nullptr && entry.service->carrier) carriers.push_back(*entry.service->carrier);
    }
    if (carriers.empty()) co_return;
    const auto rows =
        co_await work.run(sql::imports::UsableCarriers{.business = scope_.business, .carriers = carriers});
    std::set<Guid> usable;
    for (const auto& row : rows) usable.insert(row.guid);
    for (auto& entry : entries_) {
      if (entry.service == nullptr || !entry.service->carrier || usable.contains(*entry.service->carrier))
        continue;
      entry.service = nullptr;
      if (!entry.is_new) continue;
      remarks_.push_back({entry.order->external_id, entry.order->number,
                          "The carrier that the service mapping has for " + *entry.order->shipping_method +
                              " was deleted. The order is imported without the mapping."});
    }
  }

  /// The customers of changed orders whose buyers have no e-mail address. Unless the store changed the buyer,
  /// it is the customer of the last import, who may have been changed or erased here. A changed buyer is
  /// another customer. Such a customer has a guid by which later imports know that it is the buyer.
  asio::awaitable<void> find_buyers(PageWork& work) {
    std::vector<Guid> orders, buyers;
    std::unordered_map<Guid, Entry*> by_order;
    for (auto& entry : entries_) {
      const auto& order = *entry.order;
      if (entry.is_new || !entry.is_written || order.customer_email || !order.customer_name) continue;
      orders.push_back(entry.guid);
      buyers.push_back(buyer_guid(entry.guid, order));
      by_order.emplace(entry.guid, &entry);
    }
    if (orders.empty()) co_return;
    const auto rows = co_await work.run(
        sql::imports::Buyers{.business = scope_.business, .orders = orders, .buyers = buyers});
    for (const auto& row : rows) {
      Entry& entry = *by_order.at(row.order_id);
      const Guid buyer = buyer_guid(entry.guid, *entry.order);
      const bool is_known =
          row.customer_id == buyer ||
          (row.name && !row.email &&
           is_buyer(*entry.order,
                    {.name = Text(row.name), .company = Text(row.company), .phone = Text(row.phone)}));
      if (!is_known) entry.customer = row.is_deleted ? Guid::random() : buyer;
    }
  }

  asio::awaitable<void> find_customers(PageWork& work) {
    co_await find_buyers(work);
    json::array customers;
    std::vector<std::string> addresses;
    for (auto& entry : entries_) {
      const auto& order = *entry.order;
      if (order.customer_email && (entry.is_new || entry.is_written)) {
        addresses.push_back(*order.customer_email);
      } else if (entry.is_new) {
        entry.customer = buyer_guid(entry.guid, order);
      } else if (entry.customer.is_nil()) {
        continue;
      }
      const Guid guid = entry.customer.is_nil() ? Guid::random() : entry.customer;
      customers.emplace_back(json::object{{"guid", guid.to_string()},
                                          {"name", order.customer_name.value_or("Guest")},
                                          {"company", value_of(order.customer_company)},
                                          {"email", value_of(order.customer_email)},
                                          {"phone", value_of(order.customer_phone)}});
    }
    if (customers.empty()) co_return;
    co_await work.run(
        sql::imports::AddCustomers{.business = scope_.business, .customers = to_json(customers)});
    if (addresses.empty()) co_return;
    const auto rows =
        co_await work.run(sql::imports::FindCustomers{.business = scope_.business, .emails = addresses});
    struct Found {
      Guid guid;
      std::string_view name;
    };
    std::unordered_map<std::string_view, Found> found;
    for (const auto& row : rows) found.emplace(row.email, Found{row.guid, row.name});
    for (auto& entry : entries_) {
      if (!entry.order->customer_email || !(entry.is_new || entry.is_written)) continue;
      const auto customer = found.find(*entry.order->customer_email);
      // Another transaction deleted the customer after the previous statement.
      if (customer == found.end())
        throw storage::StatementError("a customer was deleted during the import", "40P01", "");
      entry.customer = customer->second.guid;
      if (entry.is_new) remark_shared_address(*entry.order, customer->second.name);
    }
  }

  /// Names an order whose buyer is another person than the customer with this e-mail address, which is unique
  /// here. Pages name a few of them only, so that they leave room for errors.
  void remark_shared_address(const StoreOrder& order, std::string_view customer) {
    constexpr int most = 5;
    if (shared_addresses_ == most || !are_two_persons(order.customer_name.value_or(""), customer)) return;
    ++shared_addresses_;
    // Without the names, because runs outlive the erasure of a person.
    remarks_.push_back(
        {order.external_id, order.number,
         "Its buyer has the e-mail address of a customer with another name. The order is imported "
         "for that customer."});
  }

  /// Names the orders that are written without their shipping cost. Pages name a few of them only.
  void remark_costs() {
    constexpr int most = 5;
    int named = 0;
    for (const auto& entry : entries_) {
      if (named == most || !(entry.is_new || entry.is_written)) continue;
      auto remark = unreadable_cost(*entry.order);
      if (!remark) continue;
      ++named;
      remarks_.push_back({entry.order->external_id, entry.order->number, std::move(*remark)});
    }
  }

  asio::awaitable<void> write_orders(PageWork& work) {
    json::array added;
    json::array changed;
    std::map<std::string, std::vector<Guid>> moved;  // by the new status
    for (const auto& entry : entries_) {
      if (entry.is_new) {
        added.emplace_back(row_of(entry));
      } else if (entry.is_written) {
        changed.emplace_back(row_of(entry));
      } else if (entry.is_moved) {
        moved[entry.status].push_back(entry.guid);
      }
    }
    if (!added.empty()) {
      co_await work.run(sql::imports::AddOrders{
          .business = scope_.business, .integration = scope_.integration, .orders = to_json(added)});
    }
    counts_.imported = static_cast<std::int64_t>(added.size());
    if (!changed.empty()) {
      const auto rows = co_await work.run(
          sql::imports::ChangeOrders{.business = scope_.business, .orders = to_json(changed)});
      counts_.updated = rows.size();
    }
    for (auto& [status, orders] : moved) {
      const auto result = co_await work.change_status({.entity_type = domain::EntityType::order,
                                                       .records = std::move(orders),
                                                       .status = status,
                                                       .rule = &domain::store_order_states()});
      counts_.updated += static_cast<std::int64_t>(result.moved);
    }
    const auto contradicted = static_cast<std::int64_t>(contradictions_.size());
    counts_.unchanged =
        static_cast<std::int64_t>(entries_.size()) - counts_.imported - counts_.updated - contradicted;
  }

  json::object row_of(const Entry& entry) const {
    const auto& order = *entry.order;
    const auto& to = order.delivery;
    const auto& recipient = order.recipient;
    const bool has_cost = order.shipping_cost && is_amount(*order.shipping_cost);
    const auto* const service = entry.service;
    return {{"guid", entry.guid.to_string()},
            {"number", order.number},
            {"status", entry.status},
            {"customer", entry.customer.is_nil() ? json::value() : json::value(entry.customer.to_string())},
            {"items", items_of(order, entry.guid)},
            {"delivery_street", value_of(to.street)},
            {"delivery_city", value_of(to.city)},
            {"delivery_state", value_of(to.state)},
            {"delivery_postal_code", value_of(to.postal_code)},
            {"delivery_country", value_of(to.country)},
            {"delivery_name", value_of(recipient.name)},
            {"delivery_company", value_of(recipient.company)},
            {"delivery_phone", value_of(recipient.phone)},
            {"delivery_email", value_of(recipient.email)},
            {"shipping_method", value_of(order.shipping_method)},
            {"shipping_cost", has_cost ? value_of(order.shipping_cost) : json::value()},
            {"carrier", service != nullptr && service->carrier ? json::value(service->carrier->to_string())
                                                               : json::value()},
            {"level", service != nullptr ? value_of(service->level) : json::value()},
            {"source_url", scope_.connector.order_page(scope_.claim.store_url, order.external_id)},
            {"total", order.total},
            {"currency", order.currency},
            {"notes", value_of(order.notes)},
            {"external_id", order.external_id},
            {"created_at", format_sql_timestamp(order.created_at)},
            {"changed_at", format_sql_timestamp(order.changed_at)}};
  }

  asio::awaitable<void> remember(PageWork& work) {
    std::vector<std::string> ids;
    std::vector<Guid> guids;
    std::vector<std::string> digests;
    std::vector<std::string> statuses;
    std::vector<std::string> same = left_out_;
    for (const auto& entry : entries_) {
      if (entry.is_same) {
        same.push_back(entry.order->external_id);
        continue;
      }
      ids.push_back(entry.order->external_id);
      guids.push_back(entry.guid);
      digests.push_back(entry.digest);
      statuses.push_back(entry.order->status);
    }
    if (!ids.empty()) {
      co_await work.run(sql::imports::RememberOrders{.business = scope_.business,
                                                     .integration = scope_.integration,
                                                     .external_ids = ids,
                                                     .orders = guids,
                                                     .digests = digests,
                                                     .statuses = statuses});
    }
    if (!same.empty()) {
      co_await work.run(sql::imports::ForgetFailures{
          .business = scope_.business, .integration = scope_.integration, .external_ids = same});
    }
  }

  asio::awaitable<void> keep_failures(PageWork& work, const std::vector<Refused>& failures) {
    std::map<std::string, const Refused*> kept;
    for (const auto& failure : failures) {
      if (!failure.external_id.empty()) kept.insert_or_assign(failure.external_id, &failure);
    }
    if (kept.empty()) co_return;
    std::vector<std::string> ids;
    std::vector<Text> numbers;
    std::vector<std::string> reasons;
    for (const auto& [id, refused] : kept) {
      ids.push_back(id);
      numbers.push_back(refused->number);
      reasons.push_back(refused->reason);
    }
    co_await work.run(sql::imports::KeepFailures{.business = scope_.business,
                                                 .integration = scope_.integration,
                                                 .external_ids = ids,
                                                 .order_numbers = numbers,
                                                 .reasons = reasons,
                                                 .run = scope_.run});
  }

  const ImportScope& scope_;
  std::vector<Entry> entries_;
  std::vector<Unreadable> unread_;       // orders of which at most the status is written
  std::vector<Refused> contradictions_;  // about orders that were imported and differ in the store
  std::vector<Refused> remarks_;         // about other things of orders that were imported
  std::vector<std::string> left_out_;    // ids of orders that the store created too early
  int shared_addresses_ = 0;             // remarks about them
  PageCounts counts_;
};

asio::awaitable<WrittenPage> write(const ImportScope& scope, std::vector<const StoreOrder*> orders,
                                   std::vector<Unreadable> unread, std::optional<Time> reached) {
  co_return co_await write_page([&]() -> asio::awaitable<PageCounts> {
    OrderPage page(scope, orders, unread);
    co_return co_await page.write(reached);
  });
}

/// The latest state of each order, because a store may list an order twice.
std::vector<const StoreOrder*> distinct(const std::vector<StoreOrder>& orders) {
  std::vector<const StoreOrder*> kept;
  std::unordered_map<std::string_view, std::size_t> positions;
  for (const auto& order : orders) {
    const auto [position, is_first] = positions.emplace(order.external_id, kept.size());
    if (is_first) {
      kept.push_back(&order);
    } else if (kept[position->second]->changed_at <= order.changed_at) {
      kept[position->second] = &order;
    }
  }
  return kept;
}

}  // namespace

asio::awaitable<PageCounts> import_orders(const ImportScope& scope, StorePage<StoreOrder> page) {
  for (auto& order : page.records) make_acceptable(order);
  const auto orders = distinct(page.records);
  auto whole = co_await write(scope, orders, page.unreadable, page.reached);
  if (whole.refusal.empty()) co_return whole.counts;
  PageCounts counts;
  for (const auto* const order : orders) {
    auto alone = co_await write(scope, {order}, {}, std::nullopt);
    counts += alone.counts;
    if (!alone.refusal.empty()) page.unreadable.push_back(unreadable(*order, std::move(alone.refusal)));
  }
  const auto rest = co_await write(scope, {}, page.unreadable, page.reached);
  if (!rest.refusal.empty()) throw storage::StatementError(rest.refusal, "", "");
  counts += rest.counts;
  co_return counts;
}

asio::awaitable<void> forget_failure(const ImportScope& scope, std::string external_id) {
  auto work = co_await PageWork::begin(scope);
  co_await work.run(sql::imports::ForgetFailures{.business = scope.business,
                                                 .integration = scope.integration,
                                                 .external_ids = std::vector{std::move(external_id)}});
  co_await work.commit({}, {});
}

}  // namespace waybill::worker
