#include "api/customers/left_records.hpp"

#include "storage/sql/customer_erasures.sql.hpp"

namespace waybill::api {

LeftRecords left_records(storage::Session& session, const Guid& business, const Guid& customer,
                         const CustomerRecords& own) {
  LeftRecords left;
  const auto rows = session.run(storage::sql::customer_erasures::LeftRecords{
      .business = business, .customer = customer, .orders = own.orders, .shipments = own.shipments});
  for (const auto& row : rows) {
    left.guids.push_back(row.guid);
    left.firsts.push_back(row.first);
    left.lasts.push_back(row.last);
  }
  return left;
}

}  // namespace waybill::api
