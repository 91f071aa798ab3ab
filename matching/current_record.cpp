#include "matching/current_record.hpp"

#include <string>
#include <vector>

#include "base/crypto.hpp"
#include "domain/records/change.hpp"
#include "matching/relatives.hpp"
#include "storage/outbox.hpp"
#include "storage/record_columns.hpp"
#include "storage/sql.hpp"

namespace waybill::matching {
namespace {

namespace asio = boost::asio;
namespace sql = storage::sql;

std::vector<std::string> column_names(const storage::Rows& rows) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) names.emplace_back(rows.get(row, 0));
  return names;
}

/// Builds the entity. `printed` is the record's value as PostgreSQL prints a bytea.
json::object entity_of(domain::EntityType type, std::string_view printed,
                       const std::vector<std::string>& columns) {
  constexpr std::string_view hex_prefix = "\\x";
  const domain::RecordType& record_type = domain::record_type(type);
  const auto bytes =
      printed.starts_with(hex_prefix) ? unhex(printed.substr(hex_prefix.size())) : std::nullopt;
  storage::RecordValue value;
  if (!bytes || !value.parse({reinterpret_cast<const char*>(bytes->data()), bytes->size()}) ||
      value.fields().size() != columns.size()) {
    throw storage::ColumnsChanged("the columns of the record's table have changed");
  }
  domain::Row row;
  storage::ColumnMap(record_type, columns).fill(value.fields(), row);
  return domain::make_change(record_type, nullptr, &row).entity;
}

}  // namespace

asio::awaitable<std::optional<json::object>> current_entity(storage::Database& database, const Guid& business,
                                                            domain::EntityType type, const Guid& record) {
  const auto rows =
      co_await database.read(sql::outbox::current, storage::Params()
                                                       .add_array({std::to_string(static_cast<int>(type))})
                                                       .add_array({business.to_string()})
                                                       .add_array({record.to_string()}));
  if (rows.empty() || rows.is_null(0, 1)) co_return std::nullopt;
  const auto columns =
      co_await database.read(sql::catalog::columns, storage::Params().add(domain::record_type(type).table));
  json::object entity = entity_of(type, rows.get(0, 1), column_names(columns));

  storage::RelativesWanted wanted;
  collect_relatives(business, record, type, entity, wanted);
  std::vector<storage::Relative> relatives;
  if (!wanted.empty()) {
    relatives = storage::read_relatives(
        co_await database.read(sql::outbox::relatives, storage::relatives_params(wanted)));
  }
  RelativeIndex(relatives).fill(business, record, type, entity);
  co_return entity;
}

}  // namespace waybill::matching
