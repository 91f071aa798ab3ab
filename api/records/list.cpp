#include "api/records/list.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

#include "api/records/row_json.hpp"
#include "api/route/paging.hpp"
#include "domain/filter/filter.hpp"
#include "storage/typed_rows.hpp"

namespace waybill::api {
namespace {

// The last page whose bounds are written into the statement's text, so that PostgreSQL plans each such page
// once. Bounds of later pages are parameters: these pages are too many to keep a plan of each.
constexpr std::int64_t pages_in_text = 20;

class SelectionReader {
 public:
  SelectionReader(const Call& call, const domain::RecordType& type) : call_(call), type_(type) {}

  Selection read() {
    narrow(filter_parameter.name, domain::compile_filter);
    narrow(search_parameter.name, domain::compile_search);
    selection_.is_searched = call_.parameter(search_parameter.name).has_value();
    const auto order = call_.parameter(order_by_parameter.name);
    if (auto* const fragment =
            accept(order_by_parameter.name, compiled_ = domain::compile_orderby(order.value_or(""), type_))) {
      selection_.order = std::move(fragment->text);
    }
    if (!errors_.empty()) throw invalid(std::move(errors_));
    return std::move(selection_);
  }

 private:
  template <typename Compile>
  void narrow(std::string_view name, Compile compile) {
    const auto text = call_.parameter(name);
    if (!text) return;
    auto* const fragment = accept(name, compiled_ = compile(*text, type_, next_param_, "$1"));
    if (fragment == nullptr) return;
    selection_.where += " and " + fragment->text;
    next_param_ += static_cast<int>(fragment->params.size());
    for (auto& param : fragment->params) selection_.params.push_back(std::move(param));
  }

  domain::SqlFragment* accept(std::string_view name, domain::FilterResult& result) {
    if (const auto* error = std::get_if<domain::FilterError>(&result)) {
      errors_.push_back({std::string(name), error->message});
    }
    return std::get_if<domain::SqlFragment>(&result);
  }

  const Call& call_;
  const domain::RecordType& type_;
  int next_param_ = first_list_param;
  domain::FilterResult compiled_;
  Selection selection_;
  FieldErrors errors_;
};

/// The sort columns of an order in which one row comparison finds all rows after a given row: every key is a
/// column that is never null, and all have one direction.
struct Keys {
  std::string columns;  // empty if the order is not of this kind
  bool descending = false;
};

Keys comparable_keys(std::string_view order) {
  constexpr std::string_view separator = ", ", descending = " desc";
  Keys keys{.columns = {}, .descending = order.ends_with(descending)};
  while (!order.empty()) {
    const auto end = std::min(order.find(separator), order.size());
    auto key = order.substr(0, end);
    if (keys.descending != key.ends_with(descending)) return {};
    if (keys.descending) key.remove_suffix(descending.size());
    if (key.find_first_of(" (") != std::string_view::npos) return {};
    if (!keys.columns.empty()) keys.columns += separator;
    keys.columns += key;
    order.remove_prefix(std::min(end + separator.size(), order.size()));
  }
  return keys;
}

constexpr std::string_view order_tag = "/*order*/";
constexpr std::string_view end_tag = "/*end*/";

/// Replaces the text between each `start_tag` and the next `/*end*/`.
void replace_tagged(std::string& text, std::string_view start_tag, std::string_view replacement) {
  for (auto at = text.find(start_tag); at != std::string::npos; at = text.find(start_tag, at)) {
    at += start_tag.size();
    const auto end = text.find(end_tag, at);
    text.replace(at, end - at, replacement);
    at += replacement.size();
  }
}

/// Replaces the last of these texts together with its tags.
void replace_last_tagged(std::string& text, std::string_view start_tag, std::string_view replacement) {
  const auto at = text.rfind(start_tag);
  text.replace(at, text.find(end_tag, at) + end_tag.size() - at, replacement);
}

struct Query {
  std::string text;
  storage::Params params;
};

Query query_of(const Call& call, std::string_view table, const storage::Statement& statement,
               const Selection& selection, const Page& page) {
  Query query{.text = std::string(statement.text), .params = storage::Params().add(call.business())};
  for (const auto& param : selection.params) query.params.add(param);
  auto limit = std::to_string(page.limit());
  auto offset = std::to_string(page.offset());
  if (page.number > pages_in_text) {
    const auto first = first_list_param + selection.params.size();
    limit = "$" + std::to_string(first);
    offset = "$" + std::to_string(first + 1);
    query.params.add(page.limit()).add(page.offset());
  }
  auto where = selection.where;
  auto order = selection.order;
  auto bounds = "limit " + limit + " offset " + offset;
  const std::string table_name(table);
  const std::string rows_of_business =
      " from " + table_name + " r where r.business_id = $1 and r.deleted_at is null";
  if (selection.is_searched) {
    // The count, equal in every row, is the first sort key. Without it, the planner expects the first fifty
    // rows to suffice for count(*) over () and scans all rows by creation time.
    order = "total, " + order;
    replace_tagged(query.text, "/*rows*/",
                   "select r.*, found.total, found.place from (select f.*, row_number() over () as place "
                   "from (select r.guid, count(*) over () as total");
    bounds += ") f) found join " + table_name + " r on r.business_id = $1 and r.guid = found.guid";
    // Outside, `r` has further columns, so functions of the row cannot order it.
    replace_last_tagged(query.text, order_tag, "r.place");
  } else if (const auto keys = comparable_keys(selection.order);
             page.number > 1 && !selection.is_narrowed() && !keys.columns.empty()) {
    // The first row of the page is found by an index-only scan.
    where = " and (" + keys.columns + (keys.descending ? ") <= (" : ") >= (") + "select " + keys.columns +
            rows_of_business + " order by " + selection.order + " limit 1 offset " + offset + ")";
    bounds = "limit " + limit;
  } else if (page.number > 1) {
    // The rows before the page are skipped by an index-only scan.
    replace_tagged(
        query.text, "/*rows*/",
        "select r.* from " + table_name + " r where r.business_id = $1 and r.guid = any(array(select r.guid");
    bounds += "))";
  }
  replace_tagged(query.text, "/*page*/", bounds);
  replace_tagged(query.text, order_tag, order);
  if (selection.is_narrowed()) {
    replace_tagged(
        query.text, "/*total*/",
        selection.is_searched ? "r.total" : "(select count(*)" + rows_of_business + selection.where + ")");
  }
  constexpr std::string_view where_tag = "/*where*/";
  query.text.insert(query.text.find(where_tag) + where_tag.size(), where);
  return query;
}

asio::awaitable<storage::Rows> read_page(Call& call, Services& services, std::string_view table,
                                         const storage::Statement& statement, const Selection& selection,
                                         const Page& page) {
  auto query = query_of(call, table, statement, selection, page);
  const bool is_short =
      !selection.is_narrowed() && selection.order == newest_first && page.number <= pages_in_text;
  if (is_short) {
    co_return co_await services.db.read_text(statement.name, std::move(query.text), std::move(query.params),
                                             storage::Format::binary);
  }
  co_return co_await services.db.read_long(call.business(), statement.name, std::move(query.text),
                                           std::move(query.params), storage::Format::binary);
}

std::int64_t total_of(const storage::Rows& rows) {
  return rows.empty() ? 0 : storage::read_binary<std::int64_t>(rows.get(0, 0));
}

}  // namespace

asio::awaitable<Answer> list_selected(Call& call, Services& services, std::string_view table,
                                      const storage::Statement& statement, Selection selection) {
  const auto page = page_of(call);
  storage::Rows rows;
  if (call.query.empty()) {
    rows =
        co_await services.db.read(statement, storage::Params().add(call.business()), storage::Format::binary);
  } else {
    rows = co_await read_page(call, services, table, statement, selection, page);
  }
  auto total = total_of(rows);
  if (rows.empty() && page.number > 1) {
    // The page is past the end; the first page has the total.
    total =
        total_of(co_await read_page(call, services, table, statement, selection, {.number = 1, .size = 1}));
  }
  co_return page_answer(json_array(rows.slice(0, rows.size(), 1)), page, total);
}

asio::awaitable<Answer> list_records(Call& call, Services& services, const domain::RecordType& type,
                                     const storage::Statement& statement) {
  return list_selected(call, services, type.table, statement, SelectionReader(call, type).read());
}

}  // namespace waybill::api
