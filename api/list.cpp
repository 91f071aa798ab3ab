#include "api/list.hpp"

#include <charconv>
#include <string>
#include <utility>
#include <variant>

#include "api/paging.hpp"
#include "api/params.hpp"
#include "api/row_json.hpp"
#include "domain/filter/filter.hpp"

namespace waybill::api {
namespace {

// Pages up to here have their bounds in the text, so that their plans are made once and for these bounds;
// further ones are many, and are planned each time.
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

/// Puts `replacement` between each `/*mark*/` and the `/*end*/` behind it.
void replace_marked(std::string& text, std::string_view mark, std::string_view replacement) {
  constexpr std::string_view end_mark = "/*end*/";
  for (auto at = text.find(mark); at != std::string::npos; at = text.find(mark, at)) {
    at += mark.size();
    const auto end = text.find(end_mark, at);
    text.replace(at, end - at, replacement);
    at += replacement.size();
  }
}

struct Query {
  std::string text;
  storage::Params params;
};

Query query_of(const Call& call, std::string_view table, const storage::Statement& statement,
               const Selection& selection, const Page& page) {
  Query query{.text = std::string(statement.text), .params = business_params(call)};
  for (const auto& param : selection.params) query.params.add(param);
  std::string bounds;
  if (page.number <= pages_in_text) {
    bounds = "limit " + std::to_string(page.limit()) + " offset " + std::to_string(page.offset());
  } else {
    const auto limit = first_list_param + selection.params.size();
    bounds = "limit $" + std::to_string(limit) + " offset $" + std::to_string(limit + 1);
    query.params.add(page.limit()).add(page.offset());
  }
  if (selection.is_searched) {
    replace_marked(query.text, "/*rows*/",
                   "select r.*, found.total from (select r.guid, count(*) over () as total");
    bounds += ") found join " + std::string(table) + " r on r.business_id = $1 and r.guid = found.guid";
  } else if (page.number > 1) {
    // The rows before the page are passed over in the index alone.
    replace_marked(query.text, "/*rows*/",
                   "select r.* from " + std::string(table) +
                       " r where r.business_id = $1 and r.guid = any(array(select r.guid");
    bounds += "))";
  }
  replace_marked(query.text, "/*page*/", bounds);
  if (!selection.order.empty()) replace_marked(query.text, "/*order*/", selection.order);
  if (selection.is_narrowed()) {
    replace_marked(query.text, "/*total*/",
                   selection.is_searched
                       ? "r.total"
                       : "(select count(*) from " + std::string(table) +
                             " r where r.business_id = $1 and r.deleted_at is null" + selection.where + ")");
    constexpr std::string_view where_mark = "/*where*/";
    query.text.insert(query.text.find(where_mark) + where_mark.size(), selection.where);
  }
  return query;
}

asio::awaitable<storage::Rows> read_page(Call& call, Services& services, std::string_view table,
                                         const storage::Statement& statement, const Selection& selection,
                                         const Page& page) {
  auto query = query_of(call, table, statement, selection, page);
  co_return co_await services.db.read_text(statement.name, std::move(query.text), std::move(query.params));
}

std::int64_t total_of(const storage::Rows& rows) {
  std::int64_t total = 0;
  if (!rows.empty()) {
    const auto digits = rows.get(0, 0);
    std::from_chars(digits.data(), digits.data() + digits.size(), total);
  }
  return total;
}

}  // namespace

asio::awaitable<Answer> list_selected(Call& call, Services& services, std::string_view table,
                                      const storage::Statement& statement, Selection selection) {
  const auto page = page_of(call);
  storage::Rows rows;
  if (call.query.empty()) {
    rows = co_await services.db.read(statement, business_params(call));
  } else {
    rows = co_await read_page(call, services, table, statement, selection, page);
  }
  auto total = total_of(rows);
  if (rows.empty() && page.number > 1) {
    // Past the end; the first page knows how many there are.
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
