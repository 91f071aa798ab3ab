#include "storage/record_columns.hpp"

#include <stdexcept>

namespace waybill::storage {

std::vector<std::string> column_names(const TypedRows<sql::catalog::Columns>& rows) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(rows.size()));
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

RecordColumns::RecordColumns(Session& session) {
  for (const auto& type : domain::record_types()) {
    columns_.emplace_back(type, column_names(session.run(sql::catalog::Columns{.record_table = type.table})));
  }
}

domain::Change RecordColumns::change(const StoredEvent& event, const json::storage_ptr& memory) {
  const ColumnMap& columns = columns_.at(static_cast<std::size_t>(event.entity_type));
  const auto* before = read(columns, event.before, before_value_, before_);
  const auto* after = read(columns, event.after, after_value_, after_);
  return domain::make_change(domain::record_type(event.entity_type), before, after, memory);
}

const domain::Row* RecordColumns::read(const ColumnMap& columns, const std::optional<std::string>& value,
                                       RecordValue& record, domain::Row& row) const {
  if (!value) return nullptr;
  if (!record.parse(*value)) throw std::invalid_argument("not a composite value");
  if (record.fields().size() != columns.column_count())
    throw ColumnsChanged("the record's table has changed");
  columns.fill(record.fields(), row);
  return &row;
}

}  // namespace waybill::storage
