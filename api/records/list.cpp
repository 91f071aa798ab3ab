#include "api/records/list.hpp"

#include <string>
#include <utility>

#include "api/endpoint/paging.hpp"
#include "api/records/list_reader.hpp"
#include "api/records/row_json.hpp"
#include "storage/sql/search_indexes.sql.hpp"
#include "storage/statement/errors.hpp"
#include "storage/statement/typed_rows.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql;

/// Throws VALIDATION_ERROR for what makes a list slow, if the request names any of it.
void refuse_slow(const Call& call) {
  FieldErrors errors;
  for (const std::string_view name :
       {filter_parameter.name, search_parameter.name, order_by_parameter.name, std::string_view("search")}) {
    if (call.parameter(name)) {
      errors.push_back({std::string(name),
                        "takes longer than the 10 s that a list may take; ask for less, for "
                        "example a status, a time or the beginning of a text"});
    }
  }
  if (!errors.empty()) throw invalid(std::move(errors));
}

asio::awaitable<Answer> list_narrowed(Call& call, Services& services, std::string_view table,
                                      const storage::Statement& statement, Selection selection) {
  try {
    co_return co_await ListReader(call, services, table, statement, std::move(selection)).answer();
  } catch (const storage::StatementError& error) {
    if (storage::is_canceled(error)) refuse_slow(call);
    throw;
  }
}

}  // namespace

asio::awaitable<bool> holds_most(const Guid& business, Services& services, const domain::RecordType& type) {
  const auto key = business.to_string() + std::string(type.table);
  if (const auto known = services.totals.holds_most(key)) co_return *known;
  const auto rows = co_await services.db.read(sql::search_indexes::HoldsMost{
      .business = business, .entity_type = static_cast<std::int16_t>(type.type), .table = type.table});
  const bool answer = !rows.empty() && rows.front().holds_most;
  services.totals.remember_holds_most(key, answer);
  co_return answer;
}

bool names_index_of_texts(std::string_view line_of_plan) {
  return line_of_plan.ends_with("_text") || line_of_plan.ends_with("_by_recipient");
}

asio::awaitable<Answer> list_selected(Call& call, Services& services, std::string_view table,
                                      const storage::Statement& statement, Selection selection) {
  if (call.query.empty()) {
    const auto rows = co_await services.db.run_read({.statement = statement,
                                                     .params = storage::Params().add(call.business()),
                                                     .format = storage::Format::binary,
                                                     .business = call.business()});
    if (!is_cut(rows)) {
      const auto total = rows.empty() ? 0 : storage::read_binary<std::int64_t>(rows.get(0, 0));
      const auto page = page_of(call);
      co_return page_answer(json_array(rows.slice(0, rows.size(), 1)), page,
                            total_with_page(total, page, rows.size()));
    }
  }
  co_return co_await list_narrowed(call, services, table, statement, std::move(selection));
}

asio::awaitable<Answer> list_records(Call& call, Services& services, const domain::RecordType& type,
                                     const storage::Statement& statement) {
  return list_selected(call, services, type.table, statement, read_selection(call, type));
}

}  // namespace waybill::api
