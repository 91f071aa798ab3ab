#include "storage/events/record_value.hpp"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "storage/statement/binary.hpp"
#include "storage/statement/type_oids.hpp"

namespace waybill::storage {
namespace {

constexpr std::size_t number_size = 4;
constexpr char jsonb_version = 1;
// The text of a time that is infinite or outside the years 1 to 9999. No reader of timestamps accepts it.
constexpr std::string_view endless_time = "infinity";

std::optional<std::string_view> take(std::string_view& bytes, std::size_t size) {
  if (bytes.size() < size) return std::nullopt;
  const std::string_view taken = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return taken;
}

std::optional<std::int32_t> take_number(std::string_view& bytes) {
  const auto taken = take(bytes, number_size);
  if (!taken) return std::nullopt;
  return binary_number<std::int32_t>(*taken);
}

/// True if the text of a value of this type is not among its bytes.
bool is_printed(std::uint32_t type) {
  return type == type_oid::uuid || type == type_oid::timestamptz || type == type_oid::numeric;
}

template <typename Number>
std::string printed(std::string_view value) {
  return std::to_string(binary_number<Number>(value));
}

}  // namespace

bool RecordValue::parse(std::string_view bytes, const RecordValue* like) {
  fields_.clear();
  sent_.clear();
  printed_.release();
  const auto count = take_number(bytes);
  if (!count || *count < 0) return false;
  try {
    for (std::int32_t column = 0; column < *count; ++column) {
      const auto type = take_number(bytes);
      const auto size = type ? take_number(bytes) : std::nullopt;
      if (!size || *size < -1) return false;
      if (*size == -1) {
        fields_.emplace_back();
        sent_.emplace_back();
        continue;
      }
      const auto value = take(bytes, static_cast<std::size_t>(*size));
      if (!value) return false;
      const Sent& sent = sent_.emplace_back(Sent{static_cast<std::uint32_t>(*type), *value});
      const auto place = static_cast<std::size_t>(column);
      if (like != nullptr && place < like->sent_.size() && is_printed(sent.type) &&
          like->sent_[place] == sent) {
        fields_.push_back(like->fields_[place]);
      } else if (!read(sent.type, sent.value)) {
        return false;
      }
    }
  } catch (const std::invalid_argument&) {
    return false;
  }
  return bytes.empty();
}

bool RecordValue::read(std::uint32_t type, std::string_view value) {
  auto& field = fields_.emplace_back();
  switch (type) {
    case type_oid::text:
    case type_oid::varchar:
    case type_oid::json:
      field = value;
      break;
    case type_oid::jsonb:
      if (!value.starts_with(jsonb_version)) return false;
      field = value.substr(1);
      break;
    case type_oid::uuid: {
      std::array<char, 36> text{};
      binary_guid(value).write_to(text.data());
      field = keep({text.data(), text.size()});
      break;
    }
    case type_oid::timestamptz:
      if (const auto time = find_binary_time(value))
        field = keep(format_sql_timestamp(*time));
      else
        field = endless_time;
      break;
    case type_oid::numeric:
      field = keep(binary_numeric(value));
      break;
    case type_oid::int2:
      field = keep(printed<std::int16_t>(value));
      break;
    case type_oid::int4:
      field = keep(printed<std::int32_t>(value));
      break;
    case type_oid::int8:
      field = keep(printed<std::int64_t>(value));
      break;
    case type_oid::boolean:
      field = binary_number<std::int8_t>(value) != 0 ? "t" : "f";
      break;
    default:
      break;
  }
  return true;
}

std::string_view RecordValue::keep(std::string_view text) {
  auto* const copy = static_cast<char*>(printed_.allocate(text.size(), 1));
  std::memcpy(copy, text.data(), text.size());
  return {copy, text.size()};
}

ColumnMap::ColumnMap(const domain::RecordType& type, std::span<const std::string> columns)
    : column_count_(columns.size()) {
  positions_.reserve(type.fields.size());
  for (const auto& field : type.fields) {
    if (field.column() == nullptr) {
      positions_.push_back(no_column);
      continue;
    }
    const auto column = std::find(columns.begin(), columns.end(), field.column_name());
    if (column == columns.end()) {
      throw std::invalid_argument("table " + std::string(type.table) + " has no column " +
                                  std::string(field.column_name()));
    }
    positions_.push_back(static_cast<std::uint16_t>(column - columns.begin()));
  }
}

void ColumnMap::fill(std::span<const std::optional<std::string_view>> fields, domain::Row& row) const {
  row.assign(positions_.size(), std::nullopt);
  for (std::size_t i = 0; i < positions_.size(); ++i) {
    if (positions_[i] != no_column) row[i] = fields[positions_[i]];
  }
}

}  // namespace waybill::storage
