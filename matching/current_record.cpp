#include "matching/current_record.hpp"

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "domain/records/change.hpp"
#include "matching/relatives.hpp"
#include "storage/events/outbox.hpp"
#include "storage/events/record_columns.hpp"
#include "storage/sql/catalog.sql.hpp"
#include "storage/sql/outbox.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::matching {
namespace {

namespace asio = boost::asio;
namespace sql = storage::sql;

/// Builds the entity from the record's value in binary form. Throws Failure if the record cannot be read.
json::object entity_of(domain::EntityType type, std::string_view bytes,
                       const std::vector<std::string>& columns) {
  const domain::RecordType& record_type = domain::record_type(type);
  if (bytes.empty() || bytes.size() > storage::largest_record)
    throw Failure(ErrorCode::payload_too_large, storage::RecordTooLarge(record_type.label).what());
  storage::RecordValue value;
  if (!value.parse(bytes) || value.fields().size() != columns.size()) {
    throw storage::ColumnsChanged("the columns of the record's table have changed");
  }
  domain::Row row;
  storage::ColumnMap(record_type, columns).fill(value.fields(), row);
  try {
    return domain::make_change(record_type, nullptr, &row).entity;
  } catch (const std::invalid_argument& error) {
    throw Failure(ErrorCode::conflict, "The record cannot be read. " + std::string(error.what()) + ".");
  }
}

}  // namespace

asio::awaitable<std::optional<json::object>> current_entity(storage::Database& database, const Guid& business,
                                                            domain::EntityType type, const Guid& record,
                                                            std::string_view public_url) {
  const auto rows = co_await database.read(
      sql::outbox::Current{.entity_types = storage::binary_array(std::array{static_cast<std::int16_t>(type)}),
                           .businesses = storage::binary_array(std::array{business}),
                           .records = storage::binary_array(std::array{record}),
                           .max_bytes = 1},
      storage::Format::binary);
  const storage::Rows values = rows.more();
  if (values.empty() || values.is_null(0, 0)) co_return std::nullopt;
  const auto columns =
      co_await database.read(sql::catalog::Columns{.record_table = domain::record_type(type).table});
  json::object entity = entity_of(type, values.get(0, 0), storage::column_names(columns));

  storage::RelativesWanted wanted;
  collect_relatives(business, record, type, entity, wanted, true);
  std::vector<storage::Relative> relatives;
  if (!wanted.empty()) {
    relatives = storage::read_relatives(co_await database.read(storage::relatives_statement(wanted)));
  }
  RelativeIndex(relatives, public_url).fill(business, record, type, entity);
  co_return entity;
}

}  // namespace waybill::matching
