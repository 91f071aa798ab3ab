#include <algorithm>
#include <regex>

#include "base/number.hpp"
#include "tests/simulators/woocommerce/woocommerce_state.hpp"

// Lists in the format of WC_REST_CRUD_Controller and WP_Date_Query.

namespace waybill::tests {
namespace {

constexpr std::int64_t most_per_page = 100;

Reply invalid_parameter(std::string_view name) {
  const std::string message = "Invalid parameter(s): " + std::string(name);
  return json_reply(400, {{"code", "rest_invalid_parameter"},
                          {"message", message},
                          {"data", {{"status", 400}, {"params", {{name, "is not valid."}}}}}});
}

bool is_date_time(const std::string& text) {
  static const std::regex form(
      R"(\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}(:?\d{2})?)?)");
  return std::regex_match(text, form);
}

// The value to compare with, computed as in WP_Date_Query: a time without an offset is unchanged, one with an
// offset is converted to the site's local time, for every column.
Time compared_with(const std::string& text) {
  if (const auto local_time = parse_timestamp(text + "Z")) return *local_time;
  const auto at = parse_timestamp(text).value_or(Time());
  return at + berlin_offset(at);
}

// `status`: one value, several separated by commas, or status[0], status[1], …
std::vector<std::string> statuses(const Parameters& parameters) {
  std::vector<std::string> result;
  for (const auto& [name, value] : parameters) {
    if (name != "status" && !name.starts_with("status[")) continue;
    for (std::size_t start = 0; start <= value.size();) {
      const auto end = std::min(value.find(',', start), value.size());
      result.push_back(value.substr(start, end - start));
      start = end + 1;
    }
  }
  return result.empty() ? std::vector<std::string>{"any"} : result;
}

bool is_chosen(const std::string& status, const std::vector<std::string>& wanted) {
  const bool hidden = status == "trash" || status == "auto-draft" || status == "checkout-draft";
  return std::ranges::any_of(wanted, [&](const std::string& candidate) {
    return candidate == status || (candidate == "any" && !hidden);
  });
}

std::optional<std::string> wrong_parameter(const Parameters& parameters, bool before_5_8) {
  const auto per_page = parse_number<std::int64_t>(parameter(parameters, "per_page", "10"));
  if (!per_page || *per_page < 1 || *per_page > most_per_page) return "per_page";
  const auto page = parse_number<std::int64_t>(parameter(parameters, "page", "1"));
  if (!page || *page < 1) return "page";
  const std::string order = parameter(parameters, "order", "desc");
  if (order != "asc" && order != "desc") return "order";
  const std::string by = parameter(parameters, "orderby", "date");
  const std::vector<std::string> known = {"date", "id", "include", "title", "slug"};
  if (!std::ranges::count(known, by) && (by != "modified" || before_5_8)) return "orderby";
  for (const char* const name : {"after", "before", "modified_after", "modified_before"}) {
    const std::string value = parameter(parameters, name);
    if (!value.empty() && !is_date_time(value) && !(before_5_8 && name[0] == 'm')) return name;
  }
  return std::nullopt;
}

// The times by which records are compared, in the zone that the caller chose.
struct Window {
  explicit Window(const Parameters& parameters, bool before_5_8) {
    const std::string gmt = parameter(parameters, "dates_are_gmt");
    local = gmt != "true" && gmt != "1";
    if (before_5_8) return;
    if (const auto value = parameter(parameters, "modified_after"); !value.empty()) {
      after = compared_with(value);
    }
    if (const auto value = parameter(parameters, "modified_before"); !value.empty()) {
      before = compared_with(value);
    }
  }
  bool has(Time modified) const {
    const Time at = local ? modified + berlin_offset(modified) : modified;
    return (!after || at > *after) && (!before || at < *before);
  }
  bool local = true;
  std::optional<Time> after, before;
};

}  // namespace

std::vector<WooCommerceState::Record*> WooCommerceState::selected(const ParsedRequest& parsed,
                                                                  Records& records, bool are_orders) const {
  const auto wanted = statuses(parsed.parameters);
  const Window window(parsed.parameters, options.before_5_8);
  std::vector<Record*> result;
  for (auto& [id, record] : records) {
    const bool is_shown = are_orders ? is_chosen(record.status, wanted) : record.status != "trash";
    const bool is_match = window.has(record.modified) && is_shown;
    if (is_match) result.push_back(&record);
  }
  const std::string by = parameter(parsed.parameters, "orderby", "date");
  std::ranges::sort(result, {}, [&](const Record* record) {
    const Time key = by == "modified" ? record->modified : by == "date" ? record->created : Time();
    return std::pair(key, record->id);
  });
  if (parameter(parsed.parameters, "order", "desc") == "desc") std::ranges::reverse(result);
  return result;
}

Reply WooCommerceState::list(ParsedRequest& parsed, Records& records, bool are_orders) {
  if (const auto wrong = wrong_parameter(parsed.parameters, options.before_5_8)) {
    return invalid_parameter(*wrong);
  }
  parsed.listed = true;
  const auto all = selected(parsed, records, are_orders);
  const auto per_page =
      static_cast<std::size_t>(*parse_number<std::int64_t>(parameter(parsed.parameters, "per_page", "10")));
  const auto page =
      static_cast<std::size_t>(*parse_number<std::int64_t>(parameter(parsed.parameters, "page", "1")));
  const std::size_t pages_of_all = (all.size() + per_page - 1) / per_page;
  const std::string offset = parameter(parsed.parameters, "offset");
  const std::size_t first = offset.empty()
                                ? (page - 1) * per_page
                                : static_cast<std::size_t>(parse_number<std::int64_t>(offset).value_or(0));
  const std::string fields = parameter(parsed.parameters, "_fields");
  Reply reply = Reply::with_status(200, {{"Content-Type", "application/json; charset=UTF-8"}}, "[");
  for (std::size_t i = first; i < std::min(all.size(), first + per_page); ++i) {
    if (fails(*all[i], fields)) return critical_error();
    if (i > first) reply.body += ',';
    reply.body += text_of(*all[i], fields);
  }
  reply.body += ']';
  if (!options.counts_pages) return reply;
  reply.headers.emplace_back("X-WP-Total", std::to_string(all.size()));
  reply.headers.emplace_back("X-WP-TotalPages", std::to_string(pages_of_all));
  const std::string address = home + "/wp-json/" + parsed.route;
  const auto link = [&](std::size_t to, const char* relation) {
    reply.headers.emplace_back("Link",
                               "<" + address + "?page=" + std::to_string(to) + ">; rel=\"" + relation + "\"");
  };
  if (page > 1) link(std::min(page - 1, pages_of_all), "prev");
  if (pages_of_all > page) link(page + 1, "next");
  return reply;
}

}  // namespace waybill::tests
