#include "api/customers/customer_export.hpp"

#include "api/customers/person.hpp"
#include "api/records/row_json.hpp"
#include "storage/runs/run.hpp"
#include "storage/sql/customer_exports.sql.hpp"
#include "storage/sql/customers.sql.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::customer_exports;

}  // namespace

bool export_customer(storage::Session& session, const CustomerExport& wanted,
                     const std::function<bool(std::string_view part)>& write) {
  const auto& [business, customer, public_url, at] = wanted;
  const auto found = session.run(storage::sql::customers::Get{.business = business, .customer = customer});
  if (found.empty()) return false;
  const auto person = person_of_customer(session, business, customer);
  auto records = records_of_customer(session, business, customer);
  for (const auto& shipment : unlinked_shipments(session, business, person))
    records.shipments.push_back(shipment);
  const auto all = records.with(customer);
  bool goes_on = write("{\"exportedAt\":\"" + format_timestamp(at) + "\",\"customer\":" + json_object(found));
  const auto add = [&](std::string_view name, const auto& statement) {
    if (!goes_on) return;
    goes_on = write(",\"" + std::string(name) + "\":[");
    bool is_first = true;
    std::string part;
    if (goes_on) {
      session.stream(statement, [&](const storage::Rows& row) {
        part.assign(is_first ? "" : ",");
        is_first = false;
        RowWriter(row).append(part, 0);
        goes_on = write(part);
        return goes_on;
      });
    }
    if (goes_on) goes_on = write("]");
  };
  add("orders", sql::Orders{.business = business, .orders = records.orders});
  add("shipments",
      sql::Shipments{.business = business, .shipments = records.shipments, .public_url = public_url});
  add("statusHistory", sql::StatusHistory{.business = business, .records = all});
  add("events", sql::Events{.business = business, .records = all});
  add("runs", sql::Runs{.business = business, .records = all});
  add("scheduledRuns",
      sql::ScheduledRuns{
          .business = business, .records = all, .emails = person.emails, .no_record = storage::no_record});
  add("uploads", sql::Uploads{.business = business, .emails = person.emails, .names = person.names});
  if (goes_on) write("}");
  return true;
}

}  // namespace waybill::api
