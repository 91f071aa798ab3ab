#include "storage/record_columns.hpp"

#include <stdexcept>

#include "storage/sql.hpp"

namespace waybill::storage {

RecordColumns::RecordColumns(Session& session) {
  for (const auto& type : domain::record_types()) {
    const Rows rows = session.run(sql::catalog::columns, type.table);
    std::vector<std::string> names;
    names.reserve(static_cast<std::size_t>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) names.emplace_back(rows.get(row, 0));
    columns_.emplace_back(type, names);
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
