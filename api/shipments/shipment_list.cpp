#include <algorithm>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "api/endpoint/paging.hpp"
#include "api/records/list.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "domain/filter/filter.hpp"
#include "domain/filter/sigma.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::api {
namespace {

// The text that `search` reads.
constexpr domain::SearchText searched_texts[] = {{.indexed = "r.found_text"}};

/// Builds the selection of the list's own query parameters. `?` in a condition stands for the value.
class SelectionBuilder {
 public:
  static constexpr std::string_view created = "created_at";

  static constexpr std::string_view tags = "tags";
  static constexpr std::string_view reference = "external_reference";

  /// `column` is the one that the condition compares with the value, or that has it; empty if it is another
  /// condition.
  void narrow(std::string_view column, std::string_view condition, std::string value) {
    const bool is_sole =
        !selection_.is_narrowed() || (column == created && selection_.whole.sole_column == created);
    selection_.has_own_data = selection_.has_own_data || column == tags || column == reference;
    const auto number = "$" + std::to_string(first_list_param + selection_.params.size());
    selection_.whole = {};
    if (is_sole) {
      selection_.whole = {.sole_column = column, .is_of_status = column == "status"};
      if (column == tags && !domain::odata::has_sigma(value))
        selection_.whole.own_value = domain::own_value_of_tag(number + "::text");
      if (column == reference) selection_.whole.own_value = domain::own_value_of_reference(number + "::text");
    }
    selection_.where += " and ";
    for (const char c : condition) {
      if (c == '?') {
        selection_.where += number;
      } else {
        selection_.where += c;
      }
    }
    selection_.params.push_back(std::move(value));
  }

  void narrow_to_statuses(const std::vector<std::string_view>& statuses) {
    if (statuses.empty()) return;
    if (statuses.size() == 1) return narrow("status", "r.status = ?", std::string(statuses.front()));
    const bool is_sole = !selection_.is_narrowed();
    std::string_view separator = " and r.status in (";
    for (const auto status : statuses) {
      selection_.where.append(separator).append("$");
      selection_.where += std::to_string(first_list_param + selection_.params.size());
      selection_.params.emplace_back(status);
      separator = ", ";
    }
    selection_.where += ")";
    selection_.whole = {.is_of_status = is_sole};
  }

  void narrow_to_late(bool is_late) {
    selection_.where += is_late ? " and is_late(r)" : " and is_late(r) is not true";
    selection_.whole = {};
  }

  void filter(std::string_view text) {
    const bool is_sole = !selection_.is_narrowed();
    const auto fragment =
        add(filter_parameter.name,
            domain::compile_filter(text, domain::record_type(domain::EntityType::shipment), next_param()));
    selection_.whole = is_sole ? whole_of(fragment) : Selection::Whole();
    selection_.has_own_data = selection_.has_own_data || fragment.has_own_data;
  }

  void search(std::string_view text) {
    add("search", domain::compile_words(text, searched_texts, next_param()));
    selection_.whole = {};
    selection_.is_searched = true;
  }

  Selection take() { return std::move(selection_); }

 private:
  int next_param() const { return first_list_param + static_cast<int>(selection_.params.size()); }

  /// Narrows the selection to a compiled condition. Throws Failure if the parameter of this name is wrong.
  domain::SqlFragment add(std::string_view name, domain::FilterResult compiled) {
    if (const auto* const error = std::get_if<domain::FilterError>(&compiled))
      throw invalid(std::string(name), error->message);
    auto& fragment = std::get<domain::SqlFragment>(compiled);
    selection_.where += " and " + fragment.text;
    for (auto& param : fragment.params) selection_.params.push_back(std::move(param));
    return std::move(fragment);
  }

  Selection selection_;
};

Selection selection_of(const Call& call) {
  SelectionBuilder builder;
  if (const auto from = call.parameter("from")) {
    const auto date = parse_date(*from);
    builder.narrow(SelectionBuilder::created, "r.created_at >= ?::timestamptz",
                   format_sql_timestamp(date ? *date : parse_timestamp(*from).value()));
  }
  if (const auto to = call.parameter("to")) {
    const auto date = parse_date(*to);
    builder.narrow(SelectionBuilder::created,
                   date ? "r.created_at < ?::timestamptz" : "r.created_at <= ?::timestamptz",
                   date ? format_sql_timestamp(*date + std::chrono::days(1))
                        : format_sql_timestamp(parse_timestamp(*to).value()));
  }
  // The guids are found first. With the conditions on the rows themselves, the planner could read the rows by
  // creation until it has a page.
  constexpr std::string_view with_number =
      "r.guid = any(array("
      "select s.guid from shipments s where s.business_id = $1 and lower(s.tracking_number) = lower(?::text) "
      "and s.deleted_at is null union "
      "select s.guid from shipments s where s.business_id = $1 and lower(s.carrier_tracking_number) = "
      "lower(?::text) and s.carrier_tracking_number is not null and s.deleted_at is null union "
      "select p.shipment_id from purchases p where p.business_id = $1 and p.status in ('bought', 'voiding') "
      "and p.tracking_numbers && array[?::text, upper(?::text), lower(?::text)]))";
  // A subselect, for the reason in containment() of domain/filter/compiler.cpp.
  constexpr std::string_view with_tag = "lower_tags(r.tags) @> array[(select lower(?::text))]";
  const std::string with_tag_of_sigmas =
      "lower_tags(r.tags) && (select " + domain::odata::sigma_spellings("lower(?::text)") + ")";
  struct Condition {
    std::string_view parameter, column, text;
    Kind kind = Kind::string;
  };
  constexpr Condition conditions[] = {
      {"customerGuid", "customer_id", "r.customer_id = ?::uuid"},
      {"trackingNumber", "", with_number, Kind::tracking_number},
      {"tag", SelectionBuilder::tags, with_tag},
      {"externalReference", SelectionBuilder::reference, "r.external_reference = ?"},
  };
  for (const auto& [name, column, text, kind] : conditions) {
    const auto value = call.parameter(name);
    if (!value) continue;
    const bool has_sigmas = column == SelectionBuilder::tags && domain::odata::has_sigma(*value);
    builder.narrow(column, has_sigmas ? std::string_view(with_tag_of_sigmas) : text,
                   stored_text(kind, *value));
  }
  std::vector<std::string_view> statuses;
  for (const auto& [name, value] : call.query) {
    if (name == "status" && std::ranges::find(statuses, value) == statuses.end()) statuses.push_back(value);
  }
  builder.narrow_to_statuses(statuses);
  if (const auto late = call.parameter("late")) builder.narrow_to_late(*late == "true");
  if (const auto text = call.parameter(filter_parameter.name)) builder.filter(*text);
  if (const auto text = call.parameter("search")) builder.search(*text);
  return builder.take();
}

}  // namespace

asio::awaitable<Answer> list_shipments(Call& call, Services& services) {
  return list_selected(call, services, "shipments", sql::shipments::List::statement, selection_of(call));
}

}  // namespace waybill::api
