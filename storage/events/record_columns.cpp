#include "storage/events/record_columns.hpp"

namespace waybill::storage {
namespace {

// The deepest nesting of an event's detail.
constexpr std::size_t deepest_detail = 32;

json::object read_detail(const std::optional<std::string>& text) {
  if (!text) return {};
  if (text->empty()) throw RecordTooLarge("detail of the event");
  auto parsed = parse_json(*text, deepest_detail);
  auto* const value = std::get_if<json::value>(&parsed);
  if (value == nullptr || !value->is_object()) throw std::invalid_argument("the detail is not an object");
  return std::move(value->get_object());
}

}  // namespace

RecordTooLarge::RecordTooLarge(std::string_view what)
    : std::invalid_argument("The " + std::string(what) + " has more than " +
                            std::to_string(largest_record / (1024UL * 1024)) + " MiB.") {}

std::vector<std::string> column_names(const TypedRows<sql::catalog::Columns>& rows) {
  std::vector<std::string> names;
  names.reserve(static_cast<std::size_t>(rows.size()));
  for (const auto& row : rows) names.emplace_back(row.name);
  return names;
}

RecordColumns::RecordColumns(Session& session)
    : carrier_([] {
        const domain::RecordType& shipments = domain::record_type(domain::EntityType::shipment);
        return shipments.index_of(*shipments.find("carrier.guid"));
      }()) {
  for (const auto& type : domain::record_types()) {
    columns_.emplace_back(type, column_names(session.run(sql::catalog::Columns{.record_table = type.table})));
  }
}

domain::Change RecordColumns::change(const StoredEvent& event, const json::storage_ptr& memory) {
  const json::object detail = read_detail(event.detail);
  if (!event.before && !event.after && detail.contains("erased"))
    return domain::make_erasure(event.entity_type, event.entity_id.to_string(), memory);
  const auto* before = read(event.entity_type, event.before, before_value_, nullptr, before_);
  const auto* after = read(event.entity_type, event.after, after_value_,
                           before == nullptr ? nullptr : &before_value_, after_);
  domain::Change change = domain::make_change(domain::record_type(event.entity_type), before, after, memory);
  const json::value* const trace = detail.if_contains("trace");
  if (trace != nullptr && trace->is_object()) domain::add_trace(change, trace->get_object());
  return change;
}

std::optional<Guid> RecordColumns::carrier_of_scan(const StoredEvent& event) {
  const bool is_scan = event.entity_type == domain::EntityType::shipment && event.detail && event.after &&
                       event.detail->starts_with(R"({"trace":)");
  if (!is_scan || event.after->empty()) return std::nullopt;
  try {
    read(event.entity_type, event.after, after_value_, nullptr, after_);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
  const auto& carrier = after_.at(carrier_);
  return carrier ? Guid::parse(*carrier) : Guid();
}

const domain::Row* RecordColumns::read(domain::EntityType type, const std::optional<std::string>& value,
                                       RecordValue& record, const RecordValue* like, domain::Row& row) const {
  if (!value) return nullptr;
  if (value->empty()) throw RecordTooLarge(domain::record_type(type).label);
  const ColumnMap& columns = columns_.at(static_cast<std::size_t>(type));
  if (!record.parse(*value, like)) throw std::invalid_argument("not a composite value");
  if (record.fields().size() != columns.column_count())
    throw ColumnsChanged("the record's table has changed");
  columns.fill(record.fields(), row);
  return &row;
}

}  // namespace waybill::storage
