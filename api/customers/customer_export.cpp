#include "api/customers/customer_export.hpp"

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "api/customers/named_views.hpp"
#include "api/customers/person.hpp"
#include "api/records/row_json.hpp"
#include "storage/runs/run.hpp"
#include "storage/sql/customer_exports.sql.hpp"
#include "storage/sql/customers.sql.hpp"
#include "storage/sql/messages.sql.hpp"

namespace waybill::api {
namespace {

using Guids = std::span<const Guid>;

/// Records of one statement. All of a customer with a million orders would take longer than a statement may;
/// so the document reaches its greatest size instead.
constexpr std::size_t records_of_portion = 1'000;

constexpr std::int64_t all_rows = std::numeric_limits<std::int64_t>::max();

/// Writes the document's lists.
class ListWriter {
 public:
  using Write = std::function<bool(std::string_view part)>;
  ListWriter(storage::Session& session, const Write& write) : session_(session), write_(write) {}

  void begin(std::string_view name) {
    goes_on_ = goes_on_ && write_(",\"" + std::string(name) + "\":[");
    is_first_ = true;
  }
  template <storage::TypedStatement S>
  void add(const S& statement) {
    if (!goes_on_) return;
    session_.stream(statement, [&](const storage::Rows& row) {
      part_.assign(is_first_ ? "" : ",");
      is_first_ = false;
      RowWriter(row).append(part_, 0);
      goes_on_ = write_(part_);
      return goes_on_;
    });
  }
  /// Adds an entry that is JSON.
  void add_entry(std::string_view entry) {
    if (!goes_on_) return;
    part_.assign(is_first_ ? "" : ",").append(entry);
    is_first_ = false;
    goes_on_ = write_(part_);
  }
  void end() { goes_on_ = goes_on_ && write_("]"); }

  /// A list of what `statement(portion)` returns for portions of the records.
  template <typename StatementOf>
  void add_list(std::string_view name, Guids records, StatementOf statement) {
    begin(name);
    for (; goes_on_ && !records.empty();
         records = records.subspan(std::min(records_of_portion, records.size())))
      add(statement(records.first(std::min(records_of_portion, records.size()))));
    end();
  }
  template <storage::TypedStatement S>
  void add_list(std::string_view name, const S& statement) {
    begin(name);
    add(statement);
    end();
  }

  bool goes_on() const { return goes_on_; }

 private:
  storage::Session& session_;
  const Write& write_;
  std::string part_;
  bool is_first_ = true;
  bool goes_on_ = true;
};

constexpr std::size_t users_of_page = 100;

/// The saved views of users that name the person.
void add_views(ListWriter& lists, storage::Session& session, const Guid& business,
               const std::vector<std::string>& words) {
  lists.begin("views");
  std::vector<UserViews> users;
  Guid after;
  do {
    users = views_of_users(session, business, after, users_of_page, words);
    for (const UserViews& user : users) {
      for (const json::value& view : user.named) lists.add_entry(to_json(view));
    }
    if (!users.empty()) after = users.back().user;
  } while (users.size() == users_of_page && lists.goes_on());
  lists.end();
}

}  // namespace

bool export_customer(storage::Session& session, const CustomerExport& wanted,
                     const std::function<bool(std::string_view part)>& write) {
  const auto& [business, customer, public_url, at] = wanted;
  const auto found = session.run(storage::sql::customers::Get{.business = business, .customer = customer});
  if (found.empty()) return false;
  std::vector<Guid> customers{customer};
  auto person = person_of_customers(session, business, customers);
  const auto deleted = deleted_customers_of(session, business, person);
  if (!deleted.empty()) {
    customers.insert(customers.end(), deleted.begin(), deleted.end());
    person = person_of_customers(session, business, customers);
  }
  auto records = records_of_customers(session, business, customers);
  for (const auto& shipment : unlinked_shipments(session, business, person))
    records.shipments.push_back(shipment);
  const auto all = records.with(customers);
  if (!write("{\"exportedAt\":\"" + format_timestamp(at) + "\",\"customer\":" + json_object(found)))
    return true;
  ListWriter lists(session, write);
  lists.add_list("deletedCustomers", deleted, [&](Guids portion) {
    return sql::customer_exports::DeletedCustomers{.business = business, .customers = portion};
  });
  lists.add_list("orders", records.orders, [&](Guids orders) {
    return sql::customer_exports::Orders{.business = business, .orders = orders};
  });
  lists.add_list("shipments", records.shipments, [&](Guids shipments) {
    return sql::customer_exports::Shipments{
        .business = business, .shipments = shipments, .public_url = public_url};
  });
  lists.add_list("purchases", records.shipments, [&](Guids shipments) {
    return sql::customer_exports::Purchases{.business = business, .shipments = shipments};
  });
  lists.add_list("statusHistory", all, [&](Guids portion) {
    return sql::customer_exports::StatusHistory{.business = business, .records = portion};
  });
  lists.add_list("events", all, [&](Guids portion) {
    return sql::customer_exports::Events{.business = business, .records = portion};
  });
  lists.add_list("runs", all, [&](Guids portion) {
    return sql::customer_exports::Runs{.business = business, .records = portion};
  });
  lists.add_list("messages", all, [&](Guids portion) {
    return storage::sql::messages::OfPerson{.business = business,
                                            .records = portion,
                                            .no_record = storage::no_record,
                                            .most_runs = all_rows,
                                            .limit = all_rows,
                                            .offset = 0};
  });
  lists.add_list(
      "scheduledRuns",
      sql::customer_exports::ScheduledRuns{
          .business = business, .records = all, .emails = person.emails, .no_record = storage::no_record});
  lists.add_list("uploads", sql::customer_exports::Uploads{
                                .business = business, .emails = person.emails, .names = person.names});
  lists.add_list(
      "contactOf",
      sql::customer_exports::ContactOf{
          .business = business, .customer = customer, .emails = person.emails, .names = person.names});
  add_views(lists, session, business, person.words);
  if (lists.goes_on()) write("}");
  return true;
}

}  // namespace waybill::api
