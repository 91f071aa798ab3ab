#pragma once

#include <string_view>
#include <variant>

#include "domain/records/record_type.hpp"

// The words in which the tables of records.cpp are written.
namespace waybill::domain::rows {

/// A row of a table, which these functions complete.
struct Row {
  Field field;

  constexpr operator Field() const { return field; }  // NOLINT(google-explicit-constructor)
  constexpr Column& column() { return std::get<Column>(field.kind); }

  template <typename Value>
  constexpr Row with(Value Column::* member, Value value) {
    column().*member = value;
    return *this;
  }

  constexpr Row merged() { return with(&Column::given, Given::merged); }
  constexpr Row decided() { return with(&Column::given, Given::decided); }
  constexpr Row listed() { return with(&Column::is_listed, true); }
  constexpr Row required() { return with(&Column::is_required, true); }
  constexpr Row not_empty() { return with(&Column::is_not_empty, true); }
  constexpr Row imported() { return with(&Column::is_imported, true); }
  constexpr Row completed() { return with(&Column::is_completed_by_relatives, true); }
  constexpr Row not_answered() { return with(&Column::is_answered, false); }
  constexpr Row personal(Personal value = Personal::yes) { return with(&Column::personal, value); }
  constexpr Row role(ColumnRole value) { return with(&Column::role, value); }
  constexpr Row searched(std::string_view text = "search_text") { return with(&Column::search_text, text); }
  constexpr Row shown_by(std::string_view function) { return with(&Column::shown_by, function); }
  constexpr Row sql_type(std::string_view type) { return with(&Column::sql_type, type); }
  constexpr Row described(std::string_view text) { return with(&Column::description, text); }
  constexpr Row example(std::string_view json) { return with(&Column::example, json); }
  constexpr Row settable(std::string_view name = {}) {
    return with(&Column::settable_as, name.empty() ? field.path : name);
  }
  constexpr Row not_filtered() {
    field.is_filtered = false;
    return *this;
  }
};

constexpr std::string_view sql_type_of(FieldType type) {
  switch (type) {
    using enum FieldType;
    case uuid:
      return "uuid";
    case string:
      return "text";
    case integer:
      return "integer";
    case decimal:
      return "numeric";
    case boolean:
      return "boolean";
    case timestamp:
      return "timestamptz";
    case array:
    case object:
      break;
  }
  return "jsonb";
}

constexpr Row column(std::string_view path, std::string_view name, FieldType type,
                     Form form = Form::of_type) {
  return {{.path = path,
           .type = type,
           .is_filtered = true,
           .kind = Column{.name = name, .sql_type = sql_type_of(type), .form = form}}};
}

/// A text says whether it is personal.
constexpr Row text(std::string_view path, std::string_view name, Personal personal, Form form = Form::line) {
  Row row = column(path, name, FieldType::string, form);
  row.column().personal = personal;
  return row;
}

constexpr Row timestamp_of(std::string_view path, std::string_view name) {
  return column(path, name, FieldType::timestamp).role(ColumnRole::bookkeeping);
}

constexpr Field relative(std::string_view path, std::string_view table, std::string_view name,
                         std::string_view key, bool is_searched = false) {
  return {.path = path,
          .type = FieldType::string,
          .is_filtered = true,
          .kind = Relative{.table = table, .column = name, .key = key, .is_searched = is_searched}};
}

constexpr Field of_event(std::string_view path, FieldType type) {
  return {.path = path, .type = type, .kind = EventFact{}};
}

}  // namespace waybill::domain::rows
