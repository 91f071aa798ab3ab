#pragma once

#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "domain/records/change.hpp"
#include "storage/events/outbox.hpp"
#include "storage/events/record_value.hpp"
#include "storage/session/session.hpp"
#include "storage/sql/catalog.sql.hpp"

namespace waybill::storage {

/// A migration changed the columns since the RecordColumns was constructed. Construct another one.
class ColumnsChanged : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A record, or the detail of an event, is larger than `largest_record`.
class RecordTooLarge : public std::invalid_argument {
 public:
  /// `what` names the value: "order".
  explicit RecordTooLarge(std::string_view what);
};

/// Returns the names of a table's columns in the order of its composite value.
std::vector<std::string> column_names(const TypedRows<sql::catalog::Columns>& rows);

/// Reads the records of stored events, using the record tables' columns at construction. One thread.
class RecordColumns {
 public:
  /// Throws DatabaseUnavailable, StatementError, or std::invalid_argument if a table lacks a field's column.
  explicit RecordColumns(Session& session);

  /// Throws ColumnsChanged, RecordTooLarge, or std::invalid_argument if the event is unreadable.
  domain::Change change(const StoredEvent& event, const json::storage_ptr& memory);

  /// The carrier of the shipment whose scan the event is, nil if it has none; nullopt for another event, and
  /// for a record that is too large or unreadable. Throws ColumnsChanged.
  std::optional<Guid> carrier_of_scan(const StoredEvent& event);

 private:
  const domain::Row* read(domain::EntityType type, const std::optional<std::string>& value,
                          RecordValue& record, const RecordValue* like, domain::Row& row) const;

  std::vector<ColumnMap> columns_;  // by entity type
  const std::size_t carrier_;       // the index of the field of shipments
  RecordValue before_value_;
  RecordValue after_value_;
  domain::Row before_;
  domain::Row after_;
};

/// The RecordColumns of a thread that reads events again and again: made on first use, and again after
/// ColumnsChanged.
class CachedColumns {
 public:
  /// Calls `work`, which may read the columns. Throws what it throws, and what RecordColumns throws.
  template <typename Work>
  auto use(Session& session, Work work) {
    if (!columns_) columns_.emplace(session);
    try {
      return work();
    } catch (const ColumnsChanged&) {
      columns_.reset();
      throw;
    }
  }

  /// Within `use` only.
  RecordColumns* operator->() { return &*columns_; }
  RecordColumns& operator*() { return *columns_; }

 private:
  std::optional<RecordColumns> columns_;
};

}  // namespace waybill::storage
